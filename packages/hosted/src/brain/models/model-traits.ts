/** What a model takes, where it matters to the brain. */
interface HostedTraits {
  /** Tokens that it reads and writes in one request. */
  context: number
  /** Tokens of one answer to ask for. */
  answer: number
  /** Whether it decides itself how much to think. */
  thinks: boolean
}

/** First match wins, so narrower names stand above wider ones. */
const TRAITS: readonly { model: RegExp; traits: HostedTraits }[] = [
  {
    model: /^claude-(opus|sonnet|haiku|fable)-5|^claude-opus-4-[678]|^claude-sonnet-4-6/,
    traits: { context: 200_000, answer: 32_000, thinks: true },
  },
  { model: /^claude-/, traits: { context: 200_000, answer: 32_000, thinks: false } },
  { model: /^(gpt-[56]|o\d)/, traits: { context: 272_000, answer: 32_000, thinks: false } },
]

/** Models of one's own are taken to be small. */
const UNKNOWN: HostedTraits = { context: 32_000, answer: 4096, thinks: false }

export const hostedTraitsOf = (model: string): HostedTraits =>
  TRAITS.find((row) => row.model.test(model))?.traits ?? UNKNOWN

export const contextTokensOf = (model: string): number => hostedTraitsOf(model).context
