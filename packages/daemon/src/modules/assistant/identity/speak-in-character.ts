import { DEFAULT_TRAITS, type VoiceSettings } from '@steward/contract'
import type { InCharacter } from '../../../ports.ts'

export interface Character {
  traits: Readonly<Record<string, number>>
  /** The person's name; empty if unknown. */
  principal: string
}

type TraitName = keyof typeof DEFAULT_TRAITS

/**
 * How the assistant would say it. Only traits that differ from their defaults change anything, so
 * that a voice sounds as it was set up until someone changes a trait.
 */
export const speakInCharacter = (message: string, character: Character): InCharacter => {
  const shift = (name: TraitName): number =>
    ((character.traits[name] ?? DEFAULT_TRAITS[name]) - DEFAULT_TRAITS[name]) / 100
  const change: VoiceSettings = withoutZeros({
    stability: (shift('composure') - shift('expressiveness')) * 0.4,
    style: (shift('expressiveness') + shift('playfulness')) * 0.4,
    speed: shift('energy') * 0.4,
  })
  return { message: sayIt(message, character), change }
}

const STRONG = 80
const WEAK = 20

const sayIt = (message: string, { traits, principal }: Character): string => {
  const { warmth = 0, enthusiasm = 50, formality = 0 } = traits
  const addressed =
    warmth >= STRONG && principal !== '' && !message.includes(principal)
      ? `${principal}, ${message}`
      : message
  if (formality >= STRONG || enthusiasm <= WEAK) return addressed.replaceAll(/!+/g, '.')
  return enthusiasm >= STRONG ? addressed.replace(/\.$/, '!') : addressed
}

const withoutZeros = (values: VoiceSettings): VoiceSettings =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== 0))
