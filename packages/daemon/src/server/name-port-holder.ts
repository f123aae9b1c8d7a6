import { health, StewardError } from '@steward/contract'

const ASK_MS = 1000

/** Says who has the port, where it is one of us. */
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
    // Whoever it is does not answer as we do; that it is taken is all there is to say.
    return busy
  }
}
