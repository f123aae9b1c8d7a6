import type { Redactor } from '@steward/platform'

/** The daemon's own log lines, on standard error. */
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

/**
 * Secrets are masked here so that callers cannot forget it; line breaks are escaped so that they
 * cannot forge a second line.
 */
export const createLog = ({ write, now, redactor }: LogPorts): Log => {
  const say = (level: string) => (message: string) => {
    const { value } = redactor().redactText(message)
    write(`${now().toISOString()} ${level} ${value.replaceAll(/[\r\n]+/g, ' | ')}\n`)
  }
  return { info: say('info'), warn: say('warn'), error: say('error') }
}
