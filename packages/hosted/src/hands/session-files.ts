/** Lets the files of a session follow it to another machine. */
export interface SessionFiles {
  /**
   * Called before the first tool call since the session was claimed. Brings the files here if another
   * machine has newer ones, after `leave` has removed the session's sandbox.
   */
  arrive(sessionId: string, folder: string, leave: () => Promise<void>): Promise<Arrival>
  /** Called at the end of a turn. Never rejects. */
  save(sessionId: string, folder: string): Promise<void>
}

export interface Arrival {
  /** What the model is told. */
  notes: readonly string[]
  /** What could not be brought along, for the session's log. */
  losses: readonly string[]
}
