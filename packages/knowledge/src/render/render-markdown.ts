import { splitFrontMatter } from '@steward/contract'
import createParser, { type MarkdownIt, type Token } from 'markdown-it'
import { anchorOf, createAnchors } from './anchors.ts'

import { firstLines } from './first-lines.ts'
import { createEnvironment, type LinkPorts, portsOf } from './link-ports.ts'
import { plainText } from './plain-text.ts'

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
  /** Only the beginning of the text is shown. */
  cut: boolean
}

/** Longer texts are cut, because rendering must not block other requests. */
const LONGEST_CHARS = 256 * 1024
const MOST_LINES = 20_000

/**
 * Markdown as HTML that is safe to embed: HTML in it stays text, links only lead to the web, mail
 * or the dashboard, images are shown as their alt text (nothing is fetched), and there are no
 * styles. Frontmatter is omitted.
 */
export const renderMarkdown = (text: string, ports: LinkPorts = {}): Rendered => {
  const env = createEnvironment(ports)
  const body = text.slice(splitFrontMatter(text).bodyStart)
  const shown = firstLines(body.slice(0, LONGEST_CHARS), MOST_LINES)
  const tokens = MARKDOWN.parse(shown, env)
  const anchors = createAnchors()
  const headings: Heading[] = []
  for (const [at, token] of tokens.entries()) {
    if (token.type !== 'heading_open') continue
    const { content = '' } = tokens[at + 1] ?? {}
    const anchor = anchors(content)
    token.attrs = [['id', anchor]]
    headings.push({ level: Number(token.tag.slice(1)), text: plainText(content), anchor })
  }
  const html = MARKDOWN.renderer.render(tokens, MARKDOWN.options, env)
  return { html, headings, cut: shown.length < body.length }
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

/**
 * Each opening bracket may start a search for a link to the end; thousands in a paragraph would be
 * too slow.
 */
const isStorm = (content: string): boolean =>
  content.length > MOST_BRACKETS && content.split('[').length > MOST_BRACKETS

/** Points the links of a document to the dashboard's pages. */
const addLinkRewriting = (markdown: MarkdownIt): void => {
  markdown.core.ruler.push('rewrite-links', (state) => {
    for (const { children } of state.tokens) {
      if (children !== null) rewrite(children, portsOf(state.env))
    }
  })
}

const rewrite = (tokens: readonly Token[], ports: LinkPorts): void => {
  const open: Token[] = []
  for (const token of tokens) {
    if (token.type === 'link_open') {
      setTarget(token, targetOf(String(token.attrGet('href') ?? ''), ports))
      open.push(token)
    } else if (token.type === 'link_close') {
      token.tag = open.pop()?.tag ?? token.tag
    }
  }
}

const setTarget = (token: Token, href: string | undefined): void => {
  if (href === undefined) {
    token.tag = 'span'
    token.attrs = [['class', 'missing-link']]
    return
  }
  token.attrs = [['href', href]]
  if (isExternalLink(href)) token.attrPush(['rel', 'noopener noreferrer'])
}

const targetOf = (href: string, { resolvePath }: LinkPorts): string | undefined => {
  if (isExternalLink(href)) return href
  const at = href.indexOf('#')
  const path = at === -1 ? href : href.slice(0, at)
  const hash = at === -1 ? '' : `#${encodeURIComponent(anchorOf(href.slice(at + 1)))}`
  if (path === '') return hash === '' ? undefined : hash
  const address = resolvePath?.(path)
  return address === undefined || !isOwnAddress(address) ? undefined : `${address}${hash}`
}

const WIKILINK = /\[\[([^[\]\n|#]{0,300})(?:#([^[\]\n|]{0,300}))?(?:\|([^[\]\n]{0,300}))?\]\]/y

/**
 * Turns `[[name]]`, `[[name#heading]]` and `[[name|words]]` into links; unknown names are marked as
 * missing.
 */
const addWikilinks = (markdown: MarkdownIt): void => {
  markdown.inline.ruler.before('link', 'wikilink', (state, silent) => {
    if (!state.src.startsWith('[[', state.pos)) return false
    WIKILINK.lastIndex = state.pos
    const found = WIKILINK.exec(state.src)
    if (found === null) return false
    const [whole, target = '', fragment, words] = found
    const name = target.trim()
    if (name === '' && !fragment) return false
    if (!silent) {
      const href = hrefOf(portsOf(state.env), name, fragment)
      const open = state.push('wikilink_open', href === undefined ? 'span' : 'a', 1)
      open.attrs = href === undefined ? [['class', 'missing-link']] : [['href', href]]
      state.push('text', '', 0).content = words?.trim() || whole.slice(2, -2)
      state.push('wikilink_close', open.tag, -1)
    }
    state.pos += whole.length
    return true
  })
}

const hrefOf = (
  ports: LinkPorts,
  name: string,
  fragment: string | undefined,
): string | undefined => {
  const hash = fragment ? `#${encodeURIComponent(anchorOf(fragment))}` : ''
  if (name === '') return hash
  const address = ports.resolveName?.(name.replace(/\.md$/i, ''))
  if (address === undefined || !isOwnAddress(address)) return undefined
  return `${address}${hash}`
}

const SCHEME = /^[a-z][a-z\d+.-]*:/i
const ALLOWED = /^(?:https?|mailto):/i
/** A path of the dashboard; `//host` would be another site. */
const OWN = /^\/(?![/\\])[^\s"'<>`\\]*$/

/** Whether a document may link there: the web, mail, or a position in a document. */
const isAllowedLink = (href: string): boolean => {
  const bare = href.replaceAll(/[\p{C}\s]+/gu, '')
  if (/^[/\\]{2}/.test(bare)) return false
  return !SCHEME.test(bare) || ALLOWED.test(bare)
}

const isExternalLink = (href: string): boolean => SCHEME.test(href)

const isOwnAddress = (href: string): boolean => OWN.test(href)

// Last, because it calls the functions above while this module loads.
const MARKDOWN = createMarkdown()
