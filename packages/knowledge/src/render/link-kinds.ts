const SCHEME = /^[a-z][a-z\d+.-]*:/i
const ALLOWED = /^(?:https?|mailto):/i
/** A path of the dashboard; `//host` would be another site. */
const OWN = /^\/(?![/\\])[^\s"'<>`\\]*$/

/** Whether a document may link there: the web, mail, or a position in a document. */
export const isAllowedLink = (href: string): boolean => {
  const bare = href.replaceAll(/[\p{C}\s]+/gu, '')
  if (/^[/\\]{2}/.test(bare)) return false
  return !SCHEME.test(bare) || ALLOWED.test(bare)
}

export const isExternalLink = (href: string): boolean => SCHEME.test(href)

export const isOwnAddress = (href: string): boolean => OWN.test(href)
