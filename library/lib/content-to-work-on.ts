import { type JsonObject, StewardError } from '@steward/contract'
import { readText } from './read-fields.ts'
import { isBareUrl } from './web-address.ts'

/**
 * The `content` field as text for a model: never only an address, never shorter than `minChars`.
 */
export const contentToWorkOn = (input: JsonObject, action: string, minChars: number): string => {
  const rejected = (reason: string) =>
    new StewardError('rejected_content', { subject: action, reason, field: 'content' })
  const content = readText(input, 'content')
  if (content !== '' && isBareUrl(content)) {
    throw rejected(
      'content is a bare URL; give the text itself, for example through A_EXTRACT_ARTICLE',
    )
  }
  if (content.length < minChars) {
    throw rejected(
      `content has ${content.length} characters after trimming; at least ${minChars} are needed`,
    )
  }
  return content
}
