import createParser from 'markdown-it'
import { createAnchors } from '../render/anchors.ts'
import { firstLines } from '../render/first-lines.ts'
import { plainText } from '../render/plain-text.ts'
import type { Section } from './search-document.ts'

export interface TextOutline {
  /** The first heading of the first level. */
  title?: string
  /** The first paragraph, shortened. */
  summary: string
}

interface SplitText extends TextOutline {
  sections: Section[]
}

const SUMMARY_CHARS = 200
/** Enough Markdown for a summary; a paragraph may be as long as the text. */
const SUMMARISED_CHARS = 4000
const MARKS =
  /^[ \t]*(?:[-*+][ \t]+|\d+[.)][ \t]+|>[ \t]?|#{1,6}[ \t]+|`{3,}.*|~{3,}.*|={3,}$|-{3,}$)+/gm

/** Headings further down are not looked for; their text belongs to the last section. */
const MOST_LINES = 50_000

/**
 * Splits a Markdown text (without frontmatter) at its headings, with the anchors used in rendering.
 */
export const splitSections = (text: string): SplitText => {
  const tokens = BLOCKS.parse(firstLines(text, MOST_LINES), {})
  const lines = text.split('\n')
  const anchors = createAnchors()
  const sections: Section[] = []
  let title: string | undefined
  let open = { anchor: '', heading: '', from: 0 }
  const close = (to: number): void => {
    const words = clean(lines.slice(open.from, to).join('\n'))
    if (words !== '' || open.heading !== '') {
      sections.push({ anchor: open.anchor, heading: open.heading, text: words })
    }
  }
  for (const [at, token] of tokens.entries()) {
    if (token.type !== 'heading_open' || token.map === null) continue
    const content = tokens[at + 1]?.content ?? ''
    const heading = plainText(content)
    close(token.map[0])
    open = { anchor: anchors(content), heading, from: token.map[1] }
    if (token.tag === 'h1' && heading.trim() !== '') title ??= heading.trim()
  }
  close(lines.length)
  const first = tokens.findIndex(({ type, level }) => type === 'paragraph_open' && level === 0)
  return {
    ...(title === undefined ? {} : { title }),
    summary:
      first === -1
        ? ''
        : shorten(plainText(tokens[first + 1]?.content.slice(0, SUMMARISED_CHARS) ?? '')),
    sections,
  }
}

/** Block rules only, because inline markup is not needed to find headings. */
const BLOCKS = createParser({ html: false })
BLOCKS.core.ruler.enableOnly(['normalize', 'block'])

const clean = (markdown: string): string =>
  plainText(markdown.replaceAll(MARKS, ''))
    .replaceAll(/[|\s]+/g, ' ')
    .trim()

const shorten = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  if (line.length <= SUMMARY_CHARS) return line
  return `${line.slice(0, SUMMARY_CHARS).replace(/\s+\S*$/, '')}…`
}
