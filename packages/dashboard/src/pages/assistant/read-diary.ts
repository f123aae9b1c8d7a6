/** A day's file as paragraphs and lists. */
export type DiaryPart = { text: string } | { items: string[] }

/** The day is the heading on the page, so the file's heading is omitted. */
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
