/**
 * Whether a request carries the bearer token (spec 1, Authentication). Without a token nobody is let in.
 */
export const isAuthorized = (request: Request, token: unknown): boolean => {
  if (typeof token !== 'string' || token === '') return false
  const given = /^Bearer +(.+)$/i.exec(request.headers.get('authorization') ?? '')?.[1]
  return given !== undefined && isSame(token, given)
}

/**
 * Looks at as many characters whatever differs, so that the time taken tells nothing of where. What
 * is walked is what the stranger sent: their own length is all they can learn from it.
 */
const isSame = (token: string, given: string): boolean => {
  let difference = token.length ^ given.length
  for (let index = 0; index < given.length; index++) {
    difference |= given.charCodeAt(index) ^ token.charCodeAt(index % token.length)
  }
  return difference === 0
}
