"""What every target wants: plain forms, known values, nothing dead, nothing twice."""
