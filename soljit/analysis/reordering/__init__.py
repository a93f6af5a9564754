"""When iterations may go in another order: blocks of time, rows side by side, panels, streams; and how far each must stay behind another."""
