/** Why a pattern is invalid; `undefined` if it is valid. */
export const checkPattern = (pattern: string): string | undefined => {
  if (pattern.startsWith('/')) return 'an absolute pattern is not allowed; name the folder as path'
  if (pattern.split('/').includes('..')) return '".." is not allowed in a pattern'
  return undefined
}

/**
 * A glob as an extended regular expression over paths that begin with `./`. Matching runs inside
 * the sandbox: a malicious pattern can take very long, which must count against the session.
 */
export const toExpression = (pattern: string): string => {
  let depth = 0
  let expression = '\\./'
  let rest = pattern.replace(/^(\.\/)+/, '')
  while (rest !== '') {
    const { matched, written, change } = translate(rest, depth)
    depth += change
    expression += written
    rest = rest.slice(matched)
  }
  return expression + ')'.repeat(depth)
}

const CLASS = /^\[([!^]?)(\]?[^\]/]*)\]/
const SPECIAL = '.^$*+?()[]{}|\\'

const translate = (
  rest: string,
  depth: number,
): { matched: number; written: string; change: number } => {
  const plain = (matched: number, written: string, change = 0) => ({ matched, written, change })
  if (rest.startsWith('**/')) return plain(3, '(.*/)?')
  if (rest.startsWith('**')) return plain(2, '.*')
  if (rest.startsWith('*')) return plain(1, '[^/]*')
  if (rest.startsWith('?')) return plain(1, '[^/]')
  const set = CLASS.exec(rest)
  if (set !== null && set[2] !== '') {
    return plain(set[0].length, `[${set[1] === '' ? '' : '^/'}${set[2] ?? ''}]`)
  }
  if (rest.startsWith('{') && rest.includes('}')) return plain(1, '(', 1)
  if (depth > 0 && rest.startsWith('}')) return plain(1, ')', -1)
  if (depth > 0 && rest.startsWith(',')) return plain(1, '|')
  if (rest.startsWith('\\') && rest.length > 1) return plain(2, literal(rest.charAt(1)))
  const [character = ''] = rest
  return plain(character.length, literal(character))
}

const literal = (character: string): string =>
  SPECIAL.includes(character) ? `\\${character}` : character
