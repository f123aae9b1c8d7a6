const encoder = new TextEncoder()

/**
 * Whether a request carries the bearer token (spec 1, Authentication). Digests of a fixed length are
 * compared, all of their bytes, so that neither the time taken nor the length tells anything of the
 * token. Without a token nobody is let in.
 */
export const isAuthorized = async (request: Request, token: unknown): Promise<boolean> => {
  if (typeof token !== 'string' || token === '') return false
  const given = /^Bearer +(.+)$/i.exec(request.headers.get('authorization') ?? '')?.[1]
  if (given === undefined) return false
  const [expected, found] = await Promise.all([digestOfToken(token), digestOf(given)])
  return isSame(expected, found)
}

let known: { token: string; digest: Uint8Array } | undefined

/** An isolate has one token for all its life. */
const digestOfToken = async (token: string): Promise<Uint8Array> => {
  if (known?.token !== token) known = { token, digest: await digestOf(token) }
  return known.digest
}

const digestOf = async (text: string): Promise<Uint8Array> =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', encoder.encode(text)))

const isSame = (a: Uint8Array, b: Uint8Array): boolean => {
  let difference = a.length ^ b.length
  for (const [index, byte] of a.entries()) difference |= byte ^ (b[index] ?? 0)
  return difference === 0
}
