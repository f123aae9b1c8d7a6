import type { Redactor } from '@steward/platform'

/** What the daemon says of itself, a line each, on standard error. */
export interface Log {
  info: (message: string) => void
  warn: (message: string) => void
  error: (message: string) => void
}

export interface LogPorts {
  write: (line: string) => void
  now: () => Date
  redactor: () => Pick<Redactor, 'redactText'>
}

/** Secrets are taken out here, so that no caller has to think of it; a line break cannot forge a second line. */
export const createLog = ({ write, now, redactor }: LogPorts): Log => {
  const say = (level: string) => (message: string) => {
    const { value } = redactor().redactText(message)
    write(`${now().toISOString()} ${level} ${value.replaceAll(/[\r\n]+/g, ' | ')}\n`)
  }
  return { info: say('info'), warn: say('warn'), error: say('error') }
}
