"""The errata as a page and as letters, and every number in them computed anew."""
