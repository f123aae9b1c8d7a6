import type { ObservedEffectName } from '@steward/contract'

/** The purpose of a session, and its source. */
export interface Intent {
  text: string
  source: 'policy' | 'work state' | 'first prompt' | 'unknown'
}

export const NO_INTENT: Intent = { text: '', source: 'unknown' }

/**
 * Words by which an intent mentions an effect. Effects not listed here are covered by every intent.
 */
const WORDS: Partial<Record<ObservedEffectName, RegExp>> = {
  credential:
    /\b(credentials?|secrets?|(api|ssh|deploy|access|signing)[ -]?keys?|keys?|tokens?|passwords?|passphrases?|certificates?|certs?|rotat\w*|log ?in|sign ?in|authenticat\w*|vault|keychain)\b|\.env\b/i,
  delete:
    /\b(delet\w*|remov\w*|clean\w*|prun\w*|purg\w*|drop\w*|wip(e|es|ing)|eras\w*|uninstall\w*|tidy\w*|clear\w*|empty\w*|archiv\w*|get rid of|throw away|decommission\w*)\b/i,
  send: /\b(deploy\w*|push\w*|publish\w*|upload\w*|send\w*|post(s|ed|ing)?|releas\w*|sync\w*|notif\w*|mail\w*|submit\w*|pull requests?|report\w*|migrat\w*)\b|\bPRs?\b/,
  privilege:
    /\b(sudo|root|install\w*|systems?|services?|packages?|permissions?|admin\w*|provision\w*|servers?|kernel|firewall)\b/i,
}

/** Whether the intent mentions the effect. */
export const speaksOf = ({ text }: Intent, effect: ObservedEffectName): boolean =>
  WORDS[effect]?.test(text) ?? true

/** Words by which an intent mentions that a service is changed, beside those for sending. */
const SERVICE_WORDS =
  /\b(appl(y|ies)|ship(s|ped)?|launch\w*|go(es)? live|roll(s|ed)? ?(out|back)|restart\w*|scal(e|es|ing)|upgrad\w*|provision\w*|configur\w*|install\w*|clusters?|databases?|tables?|index(es)?|schemas?|infrastructure|servers?|hosting|stacks?|charts?|namespaces?|instances?|buckets?|users?|roles?|secrets?)\b/i

export const speaksOfService = ({ text, source }: Intent): boolean =>
  source === 'unknown' || SERVICE_WORDS.test(text)
