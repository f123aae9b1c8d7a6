import { isHeldBack, LOOK_ALIKE_CORPUS, readableSecrets, SECRET_CORPUS } from './secret-corpus.ts'

const SECRETS = SECRET_CORPUS.filter(isHeldBack)
const LOOK_ALIKES = LOOK_ALIKE_CORPUS.filter(isHeldBack)

/** The held-back texts, secrets first. */
export const HELD_BACK_TEXTS: readonly string[] = [...SECRETS, ...LOOK_ALIKES].map(
  ({ text }) => text,
)

const LEAST_REDACTED = 0.98
const MOST_ALTERED = 0.01
/** A sink may cut a text before its secret; one that drops most texts shows nothing about masks. */
const LEAST_SHOWN = 0.9

/**
 * The rates that a sink misses, none if it meets them all. `shown` is what can be read behind the sink,
 * one text for each of `HELD_BACK_TEXTS`. Cases are not named, so that they stay held back.
 */
export const missedRates = (shown: readonly string[]): string[] => {
  if (shown.length !== HELD_BACK_TEXTS.length) {
    return [`${shown.length} texts shown of ${HELD_BACK_TEXTS.length}`]
  }
  const all = withoutEscapes(shown.join('\n'))
  const redacted = rateOf(SECRETS, (each) => readableSecrets(all, each).length === 0)
  const altered = rateOf(LOOK_ALIKES, (_, at) => hasMask(shown[SECRETS.length + at]))
  const arrived = rateOf(SECRETS, (_, at) => hasMask(shown[at]))
  return [
    ...(redacted < LEAST_REDACTED ? [`${percent(redacted)} of secrets redacted`] : []),
    ...(altered > MOST_ALTERED ? [`${percent(altered)} of look-alikes altered`] : []),
    ...(arrived < LEAST_SHOWN ? [`${percent(arrived)} of secrets shown as a mask`] : []),
  ]
}

const rateOf = <T>(cases: readonly T[], has: (each: T, at: number) => boolean): number =>
  cases.filter(has).length / cases.length

const hasMask = (text = ''): boolean => text.includes('[redacted')

/** With the text as it is, as read once from JSON, and as read twice: a record may hold encoded text. */
const withoutEscapes = (text: string): string => {
  const once = readEscapes(text)
  return [text, once, readEscapes(once)].join('\n')
}

const readEscapes = (text: string): string =>
  text.replace(/\\(["\\/nrt])/g, (_, sign: string) => ESCAPED[sign] ?? sign)
const ESCAPED: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }

const percent = (rate: number): string => `${(rate * 100).toFixed(1)}%`
