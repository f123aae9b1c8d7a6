/**
 * Extracts every `<tag …>…</tag>` from a text. One pass, because a pattern for the whole block
 * would read a text of unclosed tags once for each of them.
 */
export const takeBlocks = (text: string, tag: string): { inside: string[]; outside: string } => {
  const open = new RegExp(`<${tag}(?:\\s[^<>]{0,500})?>`, 'gi')
  const close = new RegExp(`</${tag}\\s{0,20}>`, 'gi')
  const inside: string[] = []
  const outside: string[] = []
  let from = 0
  for (let start = open.exec(text); start !== null; start = open.exec(text)) {
    close.lastIndex = open.lastIndex
    const end = close.exec(text)
    if (end === null) break
    outside.push(text.slice(from, start.index))
    inside.push(text.slice(open.lastIndex, end.index))
    from = close.lastIndex
    open.lastIndex = from
  }
  outside.push(text.slice(from))
  return { inside, outside: outside.join('\n') }
}
