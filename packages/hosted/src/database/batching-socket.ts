import { Socket } from 'node:net'

/**
 * Sends the statements of one tick together, because each write to a connection costs more than
 * composing a statement. The driver corks the socket for every prepared statement; the cork stays
 * until the tick ends.
 */
export class BatchingSocket extends Socket {
  #corks = 0

  override uncork(): void {
    this.#corks += 1
    if (this.#corks > 1) return
    process.nextTick(() => {
      for (; this.#corks > 0; this.#corks--) super.uncork()
    })
  }
}
