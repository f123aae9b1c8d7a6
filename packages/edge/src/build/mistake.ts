/** Something a person has to correct: which primitive or file, and what is wrong with it. */
export interface Mistake {
  subject: string
  reason: string
}
