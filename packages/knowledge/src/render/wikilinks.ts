import type { MarkdownIt } from 'markdown-it'
import { anchorOf } from './anchors.ts'
import { isOwnAddress } from './link-kinds.ts'
import { type LinkPorts, portsOf } from './link-ports.ts'

const WIKILINK = /\[\[([^[\]\n|#]{0,300})(?:#([^[\]\n|]{0,300}))?(?:\|([^[\]\n]{0,300}))?\]\]/y

/** `[[name]]`, `[[name#heading]]` and `[[name|words]]` become links; a name of nothing is marked as missing. */
export const addWikilinks = (markdown: MarkdownIt): void => {
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
