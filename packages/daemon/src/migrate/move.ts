/** What happens to one thing of the old installation. */
export interface MoveItem {
  /** `settings`, `assistant`, `knowledge`… */
  part: string
  /** Its file in the old installation, or a key in a file. */
  from: string
  /** Its file in the data home. */
  to?: string
  /**
   * `taken`: as it is. `converted`: in Steward's form. `merged`: added to a file that exists.
   * `same`: it is there already. `kept`: the data home has another one, which stays. `left`: not
   * used by Steward; it stays where it is.
   */
  outcome: 'taken' | 'converted' | 'merged' | 'same' | 'kept' | 'left'
  /** Why, or what is different now. */
  note?: string
}

/** A file to be written in the data home. */
export interface MoveWrite {
  /** Relative to the data home. */
  to: string
  content: Buffer | string
  /** Replaces a file; otherwise an existing one stays. */
  replaces?: true
}

export interface MovePlan {
  items: MoveItem[]
  writes: MoveWrite[]
}
