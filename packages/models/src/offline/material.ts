import { readHeading } from '@steward/contract'
import { takeBlocks } from './tag-blocks.ts'

/** The parsed subject of a prompt. */
export interface Material {
  title: string
  /** Headings, without their markup. */
  headings: string[]
  paragraphs: string[]
  sentences: string[]
  listItems: number
  urls: string[]
  /** The prompt outside the material: the request itself. */
  request: string
}

/** Extraction does not improve with more text. */
const MAX_CHARS = 300_000
const LIST_ITEM = /^\s*(?:[-*+•]|\d{1,2}[.)])\s+/

/** The material is between `<content>` tags; without them the whole prompt is the material. */
export const readMaterial = (prompt: string): Material => {
  const content = takeBlocks(prompt, 'content')
  const tagged = content.inside.some((text) => text.trim() !== '')
  const request = tagged ? content.outside : ''
  const body = takeBlocks(tagged ? content.inside.join('\n\n') : prompt, 'title')
  const [title] = [...takeBlocks(request, 'title').inside, ...body.inside, titleLine(request)]
    .map(plain)
    .filter((text) => text !== '')
  return { ...takeApart(body.outside), request, ...(title === undefined ? {} : { title }) }
}

/** Parses a text as if it were all material. */
export const takeApart = (whole: string): Material => {
  const text = whole.slice(0, MAX_CHARS)
  const headings: string[] = []
  const paragraphs: string[] = []
  let listItems = 0
  let open: string[] = []
  const close = () => {
    if (open.length > 0) paragraphs.push(open.join(' '))
    open = []
  }
  for (const line of withoutMarkup(text).split('\n')) {
    const heading = readHeading(line.trim())?.title ?? ''
    if (heading !== '') {
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

/** A request often has the title on a separate line. */
const titleLine = (request: string): string =>
  /^[ \t]{0,20}title[ \t]{0,20}:(.+)$/im.exec(request)?.[1] ?? ''

/** Code and markup are not prose; block tags end a paragraph. */
const withoutMarkup = (text: string): string =>
  ['script', 'style', 'pre', 'code']
    .reduce(
      (rest, tag) => takeBlocks(rest, tag).outside,
      withoutFences(text.replace(/\r\n?/g, '\n')),
    )
    .replace(/<h[1-6]\b[^<>]{0,300}>/gi, '\n\n# ')
    .replace(/<\/h[1-6]>/gi, '\n\n')
    .replace(/<li\b[^<>]{0,300}>/gi, '\n- ')
    .replace(
      /<\/?(p|div|br|ul|ol|li|blockquote|section|article|tr|table|figure)\b[^<>]{0,500}>/gi,
      '\n\n',
    )
    .replace(/<\/?[a-z][^<>]{0,500}>/gi, ' ')

/** Removes fenced code; an unclosed fence extends to the end. */
const withoutFences = (text: string): string => {
  let code = false
  const prose = text.split('\n').filter((line) => {
    const fence = line.trimStart().startsWith('```')
    if (fence) code = !code
    return !fence && !code
  })
  return prose.join('\n')
}

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
    .replace(/!\[[^[\]]{0,300}\]\([^()]{0,500}\)/g, ' ')
    .replace(/\[([^[\]]{1,300})\]\([^()]{0,500}\)/g, '$1')
    .replace(/&(\w+|#39);/g, (whole, name: string) => ENTITIES[name] ?? whole)
    .replace(/^>\s*/, '')
    .replace(/(\*\*|__|`)(?=\S)(.{0,300}?\S)\1/g, '$2')
    .replace(/\s+/g, ' ')
    .trim()

/** Abbreviations after which a sentence continues. */
const GOES_ON =
  /(?:^|[\s(])(?:Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|vs|etc|e\.g|i\.e|cf|approx|No|Fig|Inc|Ltd|Corp|Co|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|U\.S|U\.K|\p{Lu})\.\s*$/u

/** The longest abbreviation at the end of a sentence. */
const TAIL = 12

/** Created on first use: the first one takes a tenth of the process's start time. */
let segmenter: Intl.Segmenter | undefined

/** Splits text into sentences, paragraph by paragraph. */
const splitSentences = (paragraphs: readonly string[]): string[] => {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'sentence' })
  const split = segmenter
  return paragraphs.flatMap((paragraph) => {
    const sentences: string[] = []
    for (const { segment } of split.segment(paragraph)) {
      const last = sentences.at(-1)
      if (last !== undefined && GOES_ON.test(last.slice(-TAIL)))
        sentences[sentences.length - 1] = last + segment
      else sentences.push(segment)
    }
    return sentences.map((sentence) => sentence.replace(/\s+/g, ' ').trim()).filter(Boolean)
  })
}
