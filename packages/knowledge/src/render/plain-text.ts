const IMAGE =
  /!\[([^[\]\n]{0,500})\](?:\([^()\s]{0,2000}(?:\s+"[^"\n]{0,300}")?\)|\[[^[\]\n]{0,300}\])/g
const LINK =
  /\[([^[\]\n]{0,500})\](?:\([^()\s]{0,2000}(?:\s+"[^"\n]{0,300}")?\)|\[[^[\]\n]{0,300}\])/g
const WIKILINK = /\[\[([^[\]\n|]{1,300})(?:\|([^[\]\n]{0,300}))?\]\]/g
const STARS = /\*+|~~|`+/g
/** Emphasis underscores are at the edge of a word; those of `A_NAME` are kept. */
const UNDERSCORES = /(?<![\p{L}\p{N}_])_+(?=[\p{L}\p{N}])|(?<=[\p{L}\p{N}])_+(?![\p{L}\p{N}_])/gu
const ESCAPE = /\\([!-/:-@[-`{-~])/g

/** The text of a Markdown line without markup. */
export const plainText = (markdown: string): string => {
  if (!/[[\]*~`_\\]/.test(markdown)) return markdown
  return markdown
    .replaceAll(WIKILINK, (_, target: string, words?: string) => words || target)
    .replaceAll(IMAGE, '$1')
    .replaceAll(LINK, '$1')
    .replaceAll(STARS, '')
    .replaceAll(UNDERSCORES, '')
    .replaceAll(ESCAPE, '$1')
}
