import type { HostAnswer } from '@steward/contract'

/** Hosts cut or refuse longer texts. */
const LONGEST_CHARS = 10_000

export const NO_OPINION: HostAnswer = { exitCode: 0, stdout: '', stderr: '' }

/** One JSON object and nothing else on standard output: some assistants stop reading at any other byte. */
export const answerWith = (output: Record<string, unknown>, exitCode = 0): HostAnswer => ({
  exitCode,
  stdout: `${JSON.stringify(output)}\n`,
  stderr: '',
})

/** If the event cannot be refused, the refusal is at least reported. */
export const answerAside = (text: string): HostAnswer => ({
  exitCode: 0,
  stdout: '',
  stderr: `${text}\n`,
})

/** Never empty: some assistants ignore a refusal without a reason. */
export const reasonText = (reason: string): string => {
  const text = reason.trim() === '' ? 'refused by Steward' : reason
  return text.length <= LONGEST_CHARS ? text : `${text.slice(0, LONGEST_CHARS - 1)}…`
}

/** For assistants that cannot ask: a refusal that says what the person can do. */
export const askAsDenial = (reason: string): string =>
  reasonText(
    `${reasonText(reason)} (this needs the person's consent, and this assistant cannot ask for it: ` +
      'let them run it themselves or change the policy)',
  )
