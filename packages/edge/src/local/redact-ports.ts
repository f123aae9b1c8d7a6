import { createRedactor, secretsOf } from '@steward/platform'

/** Where messages go. Secrets are redacted already. */
export interface EdgePorts {
  say: (text: string) => void
  warn: (text: string) => void
  /** A line logged by a worker or the runtime. */
  log: (level: string, text: string) => void
}

/** Masks the secrets of the environment, and everything that looks like one, in all messages. */
export const redactPorts = (
  { say, warn, log }: EdgePorts,
  environment: Readonly<Record<string, string>>,
): EdgePorts => {
  const redactor = createRedactor(secretsOf(environment))
  const redact = (text: string): string => redactor.redactText(text).value
  return {
    say: (text) => say(redact(text)),
    warn: (text) => warn(redact(text)),
    log: (level, text) => log(level, redact(text)),
  }
}
