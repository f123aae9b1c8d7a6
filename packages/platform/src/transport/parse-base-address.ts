import { fail, ok, type Result, StewardError } from '@steward/contract'

export interface BaseAddress {
  url: URL
  /** The address of a path below it; a query in the base is kept. */
  below: (path: string) => string
}

/** A target's `url`. A URL with a password is refused, because it would appear in messages. */
export const parseBaseAddress = (
  text: string | undefined,
  subject: string,
): Result<BaseAddress> => {
  const wrong = (reason: string) => fail(new StewardError('not_configured', { subject, reason }))
  if (text === undefined) return wrong('it has no url')
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol))
    return wrong('its url is not an http address')
  if (url.username !== '' || url.password !== '') {
    return wrong(
      'its url contains a user name or password: use headers, with ${NAME} for the value',
    )
  }
  const below = (path: string): string => {
    const address = new URL(url)
    address.pathname = `${url.pathname.replace(/\/+$/, '')}/${path}`
    return address.href
  }
  return ok({ url, below })
}
