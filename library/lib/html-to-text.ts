const SKIPPED = new Set(
  'SCRIPT STYLE NOSCRIPT TEMPLATE SVG CANVAS IFRAME OBJECT FORM BUTTON SELECT NAV HEAD'.split(' '),
)
const BLOCKS = new Set(
  'ADDRESS ARTICLE ASIDE BLOCKQUOTE BODY DD DETAILS DIV DL DT FIGCAPTION FIGURE FOOTER HEADER HTML LI MAIN OL P PRE SECTION SUMMARY TABLE TBODY THEAD TR UL'.split(
    ' ',
  ),
)
const ELEMENT = 1
const TEXT = 3
/** Deeper than any real markup; below it only the text counts. */
const MAX_DEPTH = 400

/** The text of an element as light Markdown: paragraphs, headings, list items, code. */
export const htmlToText = (root: Node): string => {
  const blocks: string[] = []
  let line = ''
  const endBlock = (prefix = '') => {
    const text = line
      .replace(/[^\S\n]+/g, ' ')
      .replace(/ ?\n ?/g, '\n')
      .trim()
    if (text !== '') blocks.push(prefix + text)
    line = ''
  }
  const walk = (node: Node, depth: number): void => {
    if (node.nodeType === TEXT) {
      line += (node.textContent ?? '').replace(/\s+/g, ' ')
      return
    }
    if (node.nodeType !== ELEMENT && depth > 0) return
    const name = node.nodeName.toUpperCase()
    if (SKIPPED.has(name)) return
    if (name === 'BR') line += '\n'
    else if (name === 'PRE') {
      endBlock()
      const code = (node.textContent ?? '').replace(/^\n+/, '').trimEnd()
      if (code !== '') blocks.push(`\`\`\`\n${code}\n\`\`\``)
    } else {
      const heading = /^H([1-6])$/.exec(name)
      const isBlock = heading !== null || BLOCKS.has(name)
      if (isBlock) endBlock()
      if (depth > MAX_DEPTH) line += node.textContent ?? ''
      else for (const child of node.childNodes) walk(child, depth + 1)
      if (name === 'TD' || name === 'TH') line += ' '
      if (isBlock) endBlock(prefixOf(name, heading?.[1]))
    }
  }
  walk(root, 0)
  endBlock()
  return blocks.join('\n\n').replace(/(^|\n)(- [^\n]*)\n\n(?=- )/g, '$1$2\n')
}

const prefixOf = (name: string, level: string | undefined): string => {
  if (level !== undefined) return `${'#'.repeat(Math.max(2, Number(level)))} `
  return name === 'LI' ? '- ' : ''
}
