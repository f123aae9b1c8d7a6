/** A word of a request. */
export interface Token {
  /** As written, without a possessive ending. */
  text: string
  lower: string
  stem: string
  /** Which sentence, and which part of it between commas. */
  sentence: number
  clause: number
  /** The first word of what is asked, politeness aside. */
  isHead: boolean
  /** Nothing but politeness comes before it in its sentence. */
  isFirst: boolean
  /** The token that denies this one. */
  deniedBy: number | undefined
  /** Part of a phrase that means something else: a user agent, a git hook. */
  isOther: boolean
  /** An @ stands before it. */
  isAddressed: boolean
  /** A comma follows. */
  isCalled: boolean
}
