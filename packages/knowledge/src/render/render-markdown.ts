import createParser, { type MarkdownIt } from 'markdown-it'
import { splitNote } from '../notes/frontmatter/split-note.ts'
import { createAnchors } from './anchors.ts'
import { isAllowedLink } from './link-kinds.ts'
import { createEnvironment, type LinkPorts } from './link-ports.ts'
import { plainText } from './plain-text.ts'
import { addLinkRewriting } from './rewrite-links.ts'
import { addWikilinks } from './wikilinks.ts'

export interface Heading {
  level: number
  text: string
  /** The `id` of the heading in the HTML. */
  anchor: string
}

export interface Rendered {
  html: string
  /** The table of contents. */
  headings: Heading[]
  /** The text is too long to be shown whole. */
  cut: boolean
}

/** Longer texts are shown up to here: rendering must not keep others waiting. */
const LONGEST_CHARS = 256 * 1024

/**
 * Markdown as HTML that is safe to put into a page: HTML in it stays text, links lead to the web, to mail
 * or into the dashboard, images are shown as their words (nothing is fetched from elsewhere), no styles.
 * Frontmatter is left out.
 */
export const renderMarkdown = (text: string, ports: LinkPorts = {}): Rendered => {
  const env = createEnvironment(ports)
  const body = text.slice(splitNote(text).bodyStart)
  const cut = body.length > LONGEST_CHARS
  const tokens = MARKDOWN.parse(cut ? body.slice(0, LONGEST_CHARS) : body, env)
  const anchors = createAnchors()
  const headings: Heading[] = []
  for (const [at, token] of tokens.entries()) {
    if (token.type !== 'heading_open') continue
    const { content = '' } = tokens[at + 1] ?? {}
    const anchor = anchors(content)
    token.attrs = [['id', anchor]]
    headings.push({ level: Number(token.tag.slice(1)), text: plainText(content), anchor })
  }
  return { html: MARKDOWN.renderer.render(tokens, MARKDOWN.options, env), headings, cut }
}

const createMarkdown = (): MarkdownIt => {
  const markdown = createParser({ html: false, linkify: true, typographer: false })
  markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false })
  markdown.validateLink = isAllowedLink
  markdown.core.ruler.at('inline', (state) => {
    for (const token of state.tokens) {
      if (token.type !== 'inline') continue
      token.children = []
      if (isStorm(token.content)) {
        const text = new state.Token('text', '', 0)
        text.content = token.content
        token.children.push(text)
      } else state.md.inline.parse(token.content, state.md, state.env, token.children)
    }
  })
  addWikilinks(markdown)
  addLinkRewriting(markdown)
  markdown.core.ruler.push('no-styles', ({ tokens }) => {
    for (const token of tokens) {
      const align = /^text-align:(left|center|right)$/.exec(String(token.attrGet('style') ?? ''))
      if (token.attrGet('style') !== null)
        token.attrs = align ? [['class', `align-${align[1]}`]] : []
    }
  })
  markdown.renderer.rules.image = (tokens, at, options, env, renderer) => {
    const words = renderer.renderInlineAsText(tokens[at]?.children ?? [], options, env)
    return `<span class="image">${markdown.utils.escapeHtml(words)}</span>`
  }
  return markdown
}

const MOST_BRACKETS = 2000

/** Each opening bracket may begin a link that is looked for to the end; thousands in a paragraph are none. */
const isStorm = (content: string): boolean =>
  content.length > MOST_BRACKETS && content.split('[').length > MOST_BRACKETS

const MARKDOWN = createMarkdown()
