/** A program and its arguments, as this process starts it. */
export interface Launch {
  command: string
  args: readonly string[]
}
