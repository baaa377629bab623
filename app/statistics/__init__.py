"""What the replies of this run tell of themselves: the page, the inspector, the memory bar."""
