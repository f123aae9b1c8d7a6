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

/** Verbs with which an intent asks to change a service, in addition to those for sending. */
const SERVICE_VERBS =
  /\b(appl(y|ies)|ship(s|ped)?|launch\w*|go(es)? live|roll(s|ed)? ?(out|back)|restart\w*|scal(e|es|ing)|upgrad\w*|provision\w*|configur\w*|install\w*)\b/i
/** Parts of services. */
const SERVICE_THINGS =
  /\b(clusters?|databases?|tables?|index(es)?|schemas?|infrastructure|servers?|hosting|stacks?|charts?|namespaces?|instances?|buckets?|users?|roles?|secrets?)\b/i

/** Verbs of requests that only read, unless another verb follows. */
const LOOKS =
  /^\W*(please |can you |could you )?(draw|explain|describe|document|summari[sz]e|list|show|see|check|find( out)?|look|count|compare|review|what|which|why|when|where|who|how|is|are|does|do|did)\b/i
const CHANGES =
  /\b(add\w*|adjust\w*|allow\w*|alter\w*|bring|chang\w*|correct\w*|creat\w*|enabl\w*|disabl\w*|fix\w*|get|giv(e|es|ing)|grant\w*|improv\w*|increas\w*|let|lower\w*|mak(e|es|ing)|mov(e|es|ing)|rais\w*|reduc\w*|renam\w*|repair\w*|replac\w*|revok\w*|set|solv\w*|speed|switch\w*|tak(e|es|ing)|tr(y|ies)|tun(e|es|ing)|turn\w*|updat\w*|works?)\b/i

export const speaksOfService = ({ text, source }: Intent): boolean => {
  if (source === 'unknown' || SERVICE_VERBS.test(text)) return true
  const onlyLooks = LOOKS.test(text) && !CHANGES.test(text)
  return SERVICE_THINGS.test(text) && !onlyLooks
}

/** Words that justify a rollback. */
const BACK =
  /\b(roll\w*|back|revert\w*|undo\w*|restor\w*|previous|earlier|older|last|outages?|incidents?|regressions?|broken?|down|fail\w*|crash\w*|errors?|stuck)\b/i

export const speaksOfGoingBack = ({ text, source }: Intent): boolean =>
  source === 'unknown' || BACK.test(text)

const PATHS = /(?<![\w.~/-])~?(\/[\w.@+-]+)+/g
/** Fewer parts name a folder of the system, such as `/var/log`; `/var/log/site` has one purpose. */
const LEAST_PARTS = 3

/** Whether the intent names the path, or a folder around it that is not the system's. */
export const namesPath = ({ text }: Intent, path: string, home: string): boolean =>
  (text.match(PATHS) ?? []).some((found) => {
    const named = found.replace(/^~/, home).replace(/[./]+$/, '')
    const parts = named.split('/').filter(Boolean)
    if (parts.length < LEAST_PARTS || parts.includes('..')) return false
    return path === named || path.startsWith(`${named}/`)
  })
