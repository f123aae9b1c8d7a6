const SKIPPED = new Set('SCRIPT STYLE NOSCRIPT TEMPLATE SVG CANVAS IFRAME OBJECT HEAD'.split(' '))
const BLOCKS = new Set(
  'ADDRESS ARTICLE ASIDE BLOCKQUOTE DD DETAILS DIV DL DT FIGCAPTION FIGURE FOOTER FORM HEADER LI MAIN NAV OL P SECTION SUMMARY TABLE TR UL'.split(
    ' ',
  ),
)
const ELEMENT = 1
const TEXT = 3
/** Below this depth only the text is kept; no readable page nests deeper. */
const MAX_DEPTH = 300

/** The text of an element, with headings, list items, code and link addresses. */
export const htmlToText = (root: Node, base: string): string => {
  const blocks: string[] = []
  let line = ''
  const endBlock = (prefix = '') => {
    const text = line
      .replace(/[ \t]+/g, ' ')
      .replace(/ ?\n ?/g, '\n')
      .trim()
    if (text !== '') blocks.push(prefix + text)
    line = ''
  }
  const walkChildren = (node: Node, depth: number) => {
    if (depth > MAX_DEPTH) line += (node.textContent ?? '').replace(/\s+/g, ' ')
    else for (const child of node.childNodes) walk(child, depth + 1)
  }
  const walk = (node: Node, depth: number): void => {
    const name = node.nodeName.toUpperCase()
    if (node.nodeType === TEXT) line += (node.textContent ?? '').replace(/\s+/g, ' ')
    else if (node.nodeType !== ELEMENT && depth > 0) return
    else if (SKIPPED.has(name)) return
    else if (name === 'BR') line += '\n'
    else if (name === 'PRE') {
      endBlock()
      blocks.push(`\`\`\`\n${(node.textContent ?? '').replace(/^\n+/, '').trimEnd()}\n\`\`\``)
    } else if (name === 'A') {
      const before = line
      line = ''
      walkChildren(node, depth)
      line = before + writeLink(line, node, base)
    } else {
      const level = /^H([1-6])$/.exec(name)?.[1]
      const isBlock = level !== undefined || BLOCKS.has(name)
      if (isBlock) endBlock()
      walkChildren(node, depth)
      if (name === 'TD' || name === 'TH') line += ' | '
      if (isBlock) endBlock(level === undefined ? bulletOf(name) : `${'#'.repeat(Number(level))} `)
    }
  }
  walk(root, 0)
  endBlock()
  return blocks.join('\n\n')
}

const bulletOf = (name: string): string => (name === 'LI' ? '- ' : '')

const writeLink = (text: string, node: Node, base: string): string => {
  const target = 'getAttribute' in node ? readHref(node, base) : undefined
  return target === undefined || text.trim() === '' ? text : `[${text.trim()}](${target})`
}

const readHref = (node: Node, base: string): string | undefined => {
  if (!('getAttribute' in node) || typeof node.getAttribute !== 'function') return
  const href: unknown = node.getAttribute('href')
  if (typeof href !== 'string' || href.startsWith('#')) return
  const url = URL.parse(href, base)
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url.href : undefined
}
