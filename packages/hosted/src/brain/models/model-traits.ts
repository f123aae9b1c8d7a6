/** The properties of a model that matter to the brain. */
interface HostedTraits {
  /** The context window in tokens. */
  context: number
  /** How many answer tokens to request. */
  answer: number
  /** Whether the model itself decides how much to think. */
  thinks: boolean
}

/** The first match wins, so narrower patterns come first. */
const TRAITS: readonly { model: RegExp; traits: HostedTraits }[] = [
  {
    model: /^claude-(opus|sonnet|haiku|fable)-5|^claude-opus-4-[678]|^claude-sonnet-4-6/,
    traits: { context: 200_000, answer: 32_000, thinks: true },
  },
  { model: /^claude-/, traits: { context: 200_000, answer: 32_000, thinks: false } },
  { model: /^(gpt-[56]|o\d)/, traits: { context: 272_000, answer: 32_000, thinks: false } },
]

/** Unknown models are probably self-hosted, so they are assumed to be small. */
const UNKNOWN: HostedTraits = { context: 32_000, answer: 4096, thinks: false }

export const hostedTraitsOf = (model: string): HostedTraits =>
  TRAITS.find((row) => row.model.test(model))?.traits ?? UNKNOWN

export const contextTokensOf = (model: string): number => hostedTraitsOf(model).context
