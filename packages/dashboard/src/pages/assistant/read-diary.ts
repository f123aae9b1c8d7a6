/** A day as its file has it: paragraphs, and lists of what happened. */
export type DiaryPart = { text: string } | { items: string[] }

/** The day itself is the heading on the page, so the file's own is left out. */
export const readDiary = (markdown: string): DiaryPart[] => {
  const parts: DiaryPart[] = []
  for (const line of markdown.split('\n').map((each) => each.trim())) {
    if (line === '' || /^#\s/.test(line)) continue
    const [, item] = /^[-*]\s+(.*)$/.exec(line) ?? []
    const last = parts.at(-1)
    if (item === undefined) parts.push({ text: line.replace(/^#+\s+/, '') })
    else if (last !== undefined && 'items' in last) last.items.push(item)
    else parts.push({ items: [item] })
  }
  return parts
}
