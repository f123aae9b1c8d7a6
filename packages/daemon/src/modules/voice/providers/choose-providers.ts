import { type Settings, SPEECH_PROVIDERS, type SpeechProviderName } from '@steward/contract'

/** Ways to speak that send the text nowhere else. */
const LOCAL: readonly SpeechProviderName[] = ['system', 'browser']

/**
 * Who is asked to speak, in this order. `auto`: everyone, the best sounding first. A choice of the
 * person's comes first, and only what keeps the text on this machine stands in for it.
 */
export const orderProviders = (
  chosen: Settings['voice']['provider'],
): readonly SpeechProviderName[] => {
  if (chosen === 'none') return []
  if (chosen === 'auto') return SPEECH_PROVIDERS
  return [chosen, ...LOCAL.filter((name) => name !== chosen)]
}
