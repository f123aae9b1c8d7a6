import { StewardError } from '@steward/contract'

const LONGEST_CHARS = 4096
/** Anything that is no ordinary character of a path: spaces, controls, quotes, backslashes, `#`. */
const STRANGE = /[^\w\-.~!$&'()*+,;=:@/[\]]/
/** `/`, `\` and NUL in disguise: no name here has them, and a path that is joined would go astray. */
const DISGUISED = /%(2f|5c|00)/i
const DOTS = /^(\.|%2e){1,2}$/i

/**
 * The path of a request before anything is made of it. Dot segments are refused, not resolved: what
 * they would lead to must be asked for by its own name.
 */
export const checkTarget = (target: string): StewardError | undefined => {
  if (target.length > LONGEST_CHARS) return refuse(`it is longer than ${LONGEST_CHARS} characters`)
  if (!target.startsWith('/')) return refuse('it must start with /')
  const [path = ''] = target.split('?', 1)
  // Percent signs are judged on their own below.
  if (STRANGE.test(path.replaceAll('%', '')))
    return refuse('it has a character that must be encoded')
  if (DISGUISED.test(path)) return refuse('an encoded slash, backslash or NUL is no part of a name')
  if (path.split('/').some((segment) => DOTS.test(segment))) return refuse('. and .. lead nowhere')
  if (path.startsWith('//')) return refuse('it starts with two slashes')
  return isDecodable(path) ? undefined : refuse('its percent-encoding is broken')
}

const refuse = (reason: string): StewardError =>
  new StewardError('invalid_input', { subject: 'the path', reason })

const isDecodable = (path: string): boolean => {
  try {
    decodeURIComponent(path)
    return true
  } catch (thrown) {
    if (thrown instanceof URIError) return false
    throw thrown
  }
}
