import { StewardError } from '@steward/contract'

/** Parses an http or https address; other values are an input error that names the field. */
export const parseWebAddress = (text: string, action: string, field = 'url'): URL => {
  const wrong = (reason: string) =>
    new StewardError('invalid_input', { subject: action, reason: `"${field}" ${reason}`, field })
  const trimmed = text.trim()
  if (trimmed === '') throw wrong('is empty; give an http or https address')
  const url = URL.parse(trimmed)
  if (url === null) throw wrong(`is not an address: ${JSON.stringify(trimmed.slice(0, 80))}`)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw wrong(`must start with http:// or https://, found ${url.protocol}`)
  }
  return url
}

/** Whether a text consists only of addresses. */
export const isBareUrl = (text: string): boolean => {
  const words = text.trim().split(/\s+/)
  return words.every((word) => /^<?(https?:\/\/|www\.)\S+$/i.test(word))
}
