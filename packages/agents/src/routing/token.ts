/** A word of a request. */
export interface Token {
  /** As written, without a possessive ending. */
  text: string
  lower: string
  stem: string
  /** The sentence, and the part of it between commas. */
  sentence: number
  clause: number
  /** The first word of a request, ignoring politeness. */
  isHead: boolean
  /** Only politeness comes before it in its sentence. */
  isFirst: boolean
  /** The token that negates this one. */
  deniedBy: number | undefined
  /** Part of a phrase that means something else: a user agent, a git hook. */
  isOther: boolean
  /** It is preceded by an @. */
  isAddressed: boolean
  /** A comma follows. */
  isCalled: boolean
  /** A question mark follows. */
  isAsked: boolean
}
