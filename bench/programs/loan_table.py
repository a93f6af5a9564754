"""Finance: plans of repayment of loans, in plain Python numbers and lists."""

PRESETS = {"tiny": {"loans": 2}, "S": {"loans": 100}, "M": {"loans": 2_000}}
CHANGES = ()


def initialize(loans):
    return {"amounts": [10_000.0 + 137.5 * k for k in range(loans)], "rate": 0.045, "years": 15}


def monthly_payment(amount, rate, months):
    return amount * rate / (1 - (1 + rate) ** -months)


def loan_table(amounts, rate, years):
    months = years * 12
    monthly = rate / 12
    total_interest = []
    halfway = []
    for amount in amounts:
        payment = monthly_payment(amount, monthly, months)
        balance, interest, month, half = amount, 0.0, 0, 0
        while balance > 0.005 and month < months + 1:
            due = balance * monthly
            principal = min(payment - due, balance)
            balance -= principal
            interest += due
            month += 1
            if half == 0 and balance < amount / 2:
                half = month
        total_interest.append(round(interest, 2))
        halfway.append(half)
    return total_interest, halfway, sum(total_interest)
