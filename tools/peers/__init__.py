"""Other libraries' metrics beside ours: the same arrays, values, times, and what the audit says of each."""
