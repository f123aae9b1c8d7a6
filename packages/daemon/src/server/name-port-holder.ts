import { health, StewardError } from '@steward/contract'

const ASK_MS = 1000

/** Names the program that uses the port, if it is a Steward daemon. */
export const namePortHolder = async (
  busy: StewardError,
  host: string,
  port: number,
): Promise<StewardError> => {
  try {
    const response = await fetch(`http://${host}:${port}/health`, {
      signal: AbortSignal.timeout(ASK_MS),
    })
    const { pid } = health.parse(await response.json())
    const reason = `another Steward daemon listens there (pid ${pid}), on another data home`
    return new StewardError('port_busy', { port, reason }, busy)
  } catch {
    // Another program answers there, so report only that the port is taken.
    return busy
  }
}
