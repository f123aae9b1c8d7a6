import type { Call } from '../program.ts'

/** What variables that hold secrets are called. */
export const SECRET_NAME =
  /TOKEN|SECRET|PASSW|PASSPHRASE|API_?KEY|PRIVATE_?KEY|CREDENTIAL|(^|[_^])KEY/i

/** Secrets of the environment on the screen, and so in the assistant's context. */
export const reportShown = ({ shell, name }: Call): void =>
  shell.emit({
    kind: 'hazard',
    rule: 'builtin:shown-secrets',
    verdict: 'alert',
    reason: `${name} shows secrets of the environment`,
  })
