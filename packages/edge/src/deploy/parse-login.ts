export interface Login {
  token: string
  /** Milliseconds since 1970; unknown when the file does not say. */
  expiresAt: number | undefined
}

/**
 * The two lines that matter of wrangler's login file. It is TOML with plain strings at the top; what
 * is inside a table or is no plain string is not read, and wrangler is asked instead.
 */
export const parseLogin = (text: string): Login | undefined => {
  const top = text.split(/^\s*\[/m)[0] ?? ''
  const token = stringOf(top, 'oauth_token')
  if (token === undefined || !VISIBLE.test(token)) return undefined
  const expiresAt = Date.parse(stringOf(top, 'expiration_time') ?? '')
  return { token, expiresAt: Number.isNaN(expiresAt) ? undefined : expiresAt }
}

/** Anything else could not stand in a header. */
const VISIBLE = /^[\x21-\x7e]+$/

const stringOf = (text: string, key: string): string | undefined =>
  new RegExp(
    `^[ \\t]*${key}[ \\t]*=[ \\t]*(?:"([^"\\\\\\n]*)"|'([^'\\n]*)')[ \\t]*(?:#.*)?\\r?$`,
    'm',
  )
    .exec(text)
    ?.slice(1)
    .find((group) => group !== undefined)
