import Anthropic from '@anthropic-ai/sdk'

/** How a call of the official client failed: its status and the code in the error's details. */
export const codeOf = async (call: Promise<unknown>): Promise<string> => {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof Anthropic.APIError)) throw new Error('it was not refused')
  const body: { error?: { details?: { error_code?: string } } } = Object(error.error)
  return `${error.status} ${body.error?.details?.error_code ?? ''}`
}
