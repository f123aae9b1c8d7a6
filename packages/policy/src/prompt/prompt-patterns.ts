import type { PromptCategory } from '@steward/contract'

/** One pattern for prompts. Gaps are bounded, so that matching stays fast. */
export interface PromptPattern {
  category: PromptCategory
  description: string
  pattern: RegExp
  /** The effect of a match on its own; exfiltration needs both `sensitive` and `outbound`. */
  effect: 'block' | 'warn' | 'sensitive' | 'outbound'
}

const INSTRUCTIONS = '(instructions?|prompts?|rules|guidelines|directions|commands|constraints)'

export const PROMPT_PATTERNS: readonly PromptPattern[] = [
  {
    category: 'injection',
    description: 'tells the assistant to drop what it was told before',
    pattern: new RegExp(
      `\\b(ignore|disregard|forget|override|bypass|discard)\\b.{0,30}\\b(previous|prior|above|earlier|preceding|all|your|system|original)\\b.{0,30}\\b${INSTRUCTIONS}\\b`,
      'i',
    ),
    effect: 'block',
  },
  {
    category: 'injection',
    description: 'tells the assistant to drop what it was told before',
    pattern: new RegExp(
      `\\b(ignore|disregard|forget)\\b.{0,20}\\b(everything|anything|all|what)\\b.{0,20}\\b(above|before this|you were told|(said|told|given) (before|earlier|previously))\\b|\\b(do not|don'?t|stop|never) (follow|obey)(ing)?\\b.{0,20}\\b(your|previous|prior|earlier|original|system)\\b.{0,20}\\b${INSTRUCTIONS}\\b`,
      'i',
    ),
    effect: 'block',
  },
  {
    category: 'injection',
    description: 'tells the assistant to drop what it was told before, in another language',
    pattern:
      /\b(ignorier\w*|vergiss|vergessen sie|missachte\w*)\b.{0,40}(anweisung|instruktion|regel|vorgabe)|\b(ignora\w*|olvida\w*|descarta\w*)\b.{0,40}(instruccion|instrucciones|instrução|instruções|istruzioni|reglas|regras|regole)|\b(ignore[zr]?|oublie[zr]?|ignorez)\b.{0,40}(instructions|consignes|règles) (précédentes|antérieures|ci-dessus)|\bnegeer\b.{0,40}instructies|игнорируй.{0,40}инструкци|忽略.{0,20}(指令|指示)|(以前|前)の指示を無視/i,
    effect: 'block',
  },
  {
    category: 'injection',
    description: 'claims to be the system or the developer inside a prompt',
    pattern:
      /(^|\n)[^\S\n]*(<\|?(system|im_start)\|?>|\[?system\]?\s*(prompt|message|override)\s*:|\[\/?inst\]|###\s*system\b)/i,
    effect: 'block',
  },
  {
    category: 'injection',
    description: 'gives the assistant another identity without limits',
    pattern:
      /\b(you are now|act as|pretend (to be|you are|you have|that you)|from now on you are|enter|enable)\b.{0,60}\b(unrestricted|jailbroken|without (any )?(restrictions|limits|filters|rules)|dan\b|(god|jailbreak) mode|no (restrictions|limits|rules|filters)|evil)/i,
    effect: 'block',
  },
  {
    category: 'injection',
    description: 'asks for the system prompt',
    pattern:
      /\b(reveal|show|print|repeat|output|leak|dump)\b.{0,30}\b(your|the)\b.{0,15}\b(system prompt|hidden (prompt|instructions)|initial instructions)\b/i,
    effect: 'block',
  },
  {
    category: 'injection',
    description: 'starts a new set of instructions',
    pattern: /\b(new|updated|real|actual) (system )?instructions?\s*(:|follow|are|begin)/i,
    effect: 'block',
  },
  {
    category: 'security_disable',
    description: 'asks to switch the guards off',
    pattern:
      /\b(disable|turn off|switch off|deactivate|remove|uninstall|kill|stop|bypass|circumvent|get around|skip|ignore)\b.{0,30}\b(the |your |all |any |steward'?s? )*(security (hooks?|guards?|checks?|policy|policies|rules|patterns|validation|features?)|guards?rails?|safety (checks?|hooks?|rules)|(prompt|command|security|path)[ -]guards?|pre-?tool(-?use)? hooks?|steward('s)? hooks?|(all|your|steward'?s?) guards\b|the guards?\b(?= (from|in) (the )?(settings|hooks))|permission (prompts?|checks?))\b/i,
    effect: 'block',
  },
  {
    category: 'security_disable',
    description: 'asks to empty or open the policy file',
    pattern:
      /\b(delete|remove|empty|clear|edit|change|weaken|comment out|overwrite)\b.{0,40}\b(patterns\.yaml|security policy|blocked patterns?|zeroaccess|path tiers?|security log)\b/i,
    effect: 'block',
  },
  {
    category: 'security_disable',
    description: 'asks to run without permission prompts',
    pattern: /--dangerously-(skip-permissions|bypass-\w+)|\b(yolo|bypasspermissions) mode\b/i,
    effect: 'block',
  },
  {
    category: 'evasion',
    description: 'asks for a command to be disguised',
    pattern:
      /\b(encode|obfuscate|disguise|hide|split( up)?|base64|rot13|hex[- ]encode)\b.{0,40}\b(command|payload|to (avoid|evade|get past|bypass)|from the (guard|hook|filter|scanner)|so (that )?the (guard|hook|filter|scanner))\b/i,
    effect: 'warn',
  },
  {
    category: 'evasion',
    description: 'asks not to be seen',
    pattern:
      /\b(without (leaving (a )?traces?|being (logged|detected|noticed|seen))|avoid(ing)? detection|evad(e|ing) (the )?(guard|filter|detection|hook|scanner)|don'?t (log|tell|mention|record) (this|it|the user|anyone))\b/i,
    effect: 'warn',
  },
  {
    category: 'evasion',
    description: 'holds text that cannot be seen',
    pattern: /[\u200B\u2060\u{E0000}-\u{E007F}]{3,}|[\u202A-\u202E\u2066-\u2069]/u,
    effect: 'warn',
  },
  {
    category: 'evasion',
    description: 'asks for hidden text to be unpacked and run',
    pattern:
      /\b(decode|unpack|decrypt|unescape|deobfuscate)\b.{0,60}\b(and|then)\b.{0,20}\b(run|execute|eval|follow|obey|pipe)\b/i,
    effect: 'block',
  },
  {
    category: 'exfiltration',
    description: 'speaks of secrets',
    pattern:
      /\b(api[ _-]?keys?|passwords?|credentials?|private keys?|ssh keys?|access tokens?|auth tokens?|secret keys?|secrets|\.env( file)?s?|id_rsa|id_ed25519|keychain|cookies|session tokens?|seed phrase|(all|the|your|my|its|these) (the )?environment variables)\b|\.env\b|\/etc\/shadow/i,
    effect: 'sensitive',
  },
  {
    category: 'exfiltration',
    description: 'wants something sent elsewhere',
    pattern:
      /\b(send|post|upload|exfiltrate|e-?mail|transmit|forward|leak|ship|paste|publish|beam|copy|push)\b.{0,60}(\b(to|at)\b.{0,20}(https?:\/\/|\b(my|our|an?|the|this|external|remote|attacker)\b.{0,25}\b(server|webhook|url|endpoint|site|pastebin|gist|bucket|address|channel)|[\w.+-]+@[\w-]+\.\w+|\b\w+[\w.-]*\.(com|net|org|io|xyz|ru|sh|dev|me)\b|pastebin|webhook)|\b(pastebin|webhook\.site|requestbin|ngrok|discord webhook)\b)|\b(curl|wget|nc)\b.{0,60}https?:\/\//i,
    effect: 'outbound',
  },
]
