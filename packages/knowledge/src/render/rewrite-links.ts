import type { MarkdownIt, Token } from 'markdown-it'
import { anchorOf } from './anchors.ts'
import { isExternalLink, isOwnAddress } from './link-kinds.ts'
import { type LinkPorts, portsOf } from './link-ports.ts'

/** Makes the links of a parsed document lead where the dashboard shows their targets. */
export const addLinkRewriting = (markdown: MarkdownIt): void => {
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
