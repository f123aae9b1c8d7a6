import { BARE_CONTEXTS, type Context, NAMED_CONTEXTS } from './corpus/contexts.ts'
import { CORPUS_LOOK_ALIKES, type CorpusLookAlike } from './corpus/look-alikes.ts'
import { createSecretParts, hashOf } from './corpus/make-secret.ts'
import { type CorpusSecret, WRITTEN_CASES } from './corpus/secret-cases.ts'
import { NAMED_TOKENS, RECOGNISABLE_TOKENS, type TokenFormat } from './corpus/token-formats.ts'

export type { CorpusLookAlike, CorpusSecret }

const place = ({ id, variable, make }: TokenFormat, context: Context): CorpusSecret => {
  const caseId = `${id} in ${context.id}`
  const secret = make(createSecretParts(caseId))
  return { id: caseId, text: context.put(secret, variable), secrets: [secret] }
}

/** The contexts take turns, so that each is used about as often as any other. */
const inTurn = (contexts: readonly Context[], turn: number): Context => {
  const context = contexts[turn % contexts.length]
  if (context === undefined) throw new Error('there are no contexts')
  return context
}

/** Secrets in the places where they are found, of all formats. */
export const SECRET_CORPUS: readonly CorpusSecret[] = [
  ...RECOGNISABLE_TOKENS.map((format, turn) => place(format, inTurn(BARE_CONTEXTS, turn))),
  ...RECOGNISABLE_TOKENS.map((format, turn) => place(format, inTurn(NAMED_CONTEXTS, turn * 7))),
  ...NAMED_TOKENS.map((format, turn) => place(format, inTurn(NAMED_CONTEXTS, turn))),
  ...NAMED_TOKENS.map((format, turn) => place(format, inTurn(NAMED_CONTEXTS, turn * 5 + 29))),
  ...WRITTEN_CASES,
]

/** Texts that resemble secrets and must stay unchanged. */
export const LOOK_ALIKE_CORPUS: readonly CorpusLookAlike[] = CORPUS_LOOK_ALIKES

/** One case in three is held back: rules are never written or changed by looking at it. */
export const isHeldBack = ({ id }: { id: string }): boolean => hashOf(`held back? ${id}`) % 3 === 0

/** The secrets of a case that can be read in a text: as they are, escaped for JSON, or in an address. */
export const readableSecrets = (shown: string, { secrets }: CorpusSecret): string[] =>
  secrets.filter((secret) =>
    [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)].some((spelling) =>
      shown.includes(spelling),
    ),
  )
