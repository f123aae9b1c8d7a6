import { splitSentences } from './sentences.ts'

/** What a prompt is about, taken apart. */
export interface Material {
  title: string
  /** Headings, without their marks. */
  headings: string[]
  paragraphs: string[]
  sentences: string[]
  listItems: number
  urls: string[]
  /** What the prompt says outside the material: the request itself. */
  request: string
}

const CONTENT = /<content\b[^>]*>([\s\S]*?)<\/content>/gi
const TITLE = /<title\b[^>]*>([\s\S]*?)<\/title>/i
const LIST_ITEM = /^\s*(?:[-*+•]|\d{1,2}[.)])\s+/
const HEADING = /^#{1,6}\s+(.+?)\s*#*$/

/** The material stands between `<content>` tags; without them the whole prompt is the material. */
export const readMaterial = (prompt: string): Material => {
  const inside = [...prompt.matchAll(CONTENT)].map((match) => match[1] ?? '').join('\n\n')
  const tagged = inside.trim() !== ''
  const request = tagged ? prompt.replace(CONTENT, ' ') : ''
  const body = tagged ? inside : prompt
  const title = plain((request || body).match(TITLE)?.[1] ?? '') || titleLine(request)
  return { ...takeApart(body.replace(TITLE, '\n')), request, ...(title ? { title } : {}) }
}

/** Takes a text apart as if it were all of the material. */
export const takeApart = (text: string): Material => {
  const headings: string[] = []
  const paragraphs: string[] = []
  let listItems = 0
  let open: string[] = []
  const close = () => {
    if (open.length > 0) paragraphs.push(open.join(' '))
    open = []
  }
  for (const line of withoutMarkup(text).split('\n')) {
    const heading = HEADING.exec(line.trim())?.[1]
    if (heading !== undefined) {
      close()
      headings.push(plain(heading))
    } else if (LIST_ITEM.test(line)) {
      close()
      listItems += 1
      paragraphs.push(plain(line.replace(LIST_ITEM, '')))
    } else if (line.trim() === '') close()
    else open.push(plain(line))
  }
  close()
  const sentences = splitSentences(paragraphs)
  return {
    title: headings[0] ?? '',
    headings,
    paragraphs,
    sentences,
    listItems,
    urls: [...new Set(text.match(/https?:\/\/[^\s<>"')\]]+/g) ?? [])],
    request: '',
  }
}

/** A request often names the title on a line of its own. */
const titleLine = (request: string): string =>
  plain(/^\s*title\s*:\s*(.+)$/im.exec(request)?.[1] ?? '')

/** Code and markup are not prose; block tags end a paragraph. */
const withoutMarkup = (text: string): string =>
  text
    .replace(/\r\n?/g, '\n')
    .replace(/^```[\s\S]*?^```/gm, '\n')
    .replace(/<(script|style|pre|code)\b[\s\S]*?<\/\1>/gi, ' ')
    .replace(/<h([1-6])\b[^>]*>([\s\S]*?)<\/h\1>/gi, '\n\n# $2\n\n')
    .replace(/<li\b[^>]*>/gi, '\n- ')
    .replace(/<\/?(p|div|br|ul|ol|li|blockquote|section|article|tr|table|figure)\b[^>]*>/gi, '\n\n')
    .replace(/<\/?[a-z][^<>]*>/gi, ' ')

const ENTITIES: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  '#39': "'",
}

const plain = (line: string): string =>
  line
    .replace(/!\[[^\]]*\]\([^)]*\)/g, ' ')
    .replace(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replace(/&(\w+|#39);/g, (whole, name: string) => ENTITIES[name] ?? whole)
    .replace(/^>\s*/, '')
    .replace(/(\*\*|__|`)(?=\S)(.*?\S)\1/g, '$2')
    .replace(/\s+/g, ' ')
    .trim()
