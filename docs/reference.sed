# Links out of a page of docs/, as the API reference has them: examples have pages of their own
# there, and other files of the sources have none. A section of another page is that page, and one
# of the same page has no link.
s,\]\(([a-z-]+\.md)#[^)]*\),](\1),g
s,\[([^]]*)\]\(#[^)]*\),\1,g
s,\[`?examples/([a-z_]+\.[a-z]+)`?\]\(\.\./examples/[^)]*\),@ref \1,g
s,\[(`?)([^]`]*)`?\]\(\.\./[^)]*\),\1\2\1,g
