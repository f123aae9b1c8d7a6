/** What models are asked to do, and refuse to do. `help but` and `help falling` are other idioms. */
const DO =
  '(?:help(?! but\\b| falling\\b)|assist|comply|provide|fulfil+|answer|respond|reply|generate|create|write|draft|produce|complete|finish|process|handle|perform|summari[sz]e|rate|score|label|classify|categori[sz]e|anal[yz]e|evaluate|assess|review|engage|discuss|support|access|browse|open|read|view|translate|extract|continue|proceed|participate|offer|give|share|accommodate|carry out|work (?:with|on)|do (?:that|this|so|it))'

const NOT =
  "(?:can ?not|can't|could ?not|couldn't|won't(?: be able to)?|will not(?: be able to)?|am (?:unable|not able|not allowed|not permitted|not willing) to|'m (?:unable|not able|not allowed|not permitted|not willing) to|do not feel able to|don't feel able to)"

/** An apology or thanks before the refusal itself. */
const LEAD =
  "(?:(?:i'm|i am) (?:really |very |so |truly )?sorry|sorry|(?:my )?apologies|i apologi[sz]e|unfortunately|regrettably|i understand|i appreciate|i see|thank you|thanks|as an ai)"

const WORK_ON =
  '(?:article|content|text|link|url|page|document|transcript|attachment|file|website|web)'

const english = (pattern: string): RegExp => new RegExp(pattern, 'i')

/** Anchored at the start, because an article may quote a refusal later. */
const ENGLISH = [
  english(`^i ?${NOT} (?:\\w+ly )?${DO}\\b`),
  english(`^${LEAD}\\b[^!?]{0,120}?\\bi ?${NOT} (?:\\w+ly )?${DO}\\b`),
  english(
    "^(?:as|i'm|i am) (?:just |only )?an? (?:ai|artificial intelligence|(?:large )?language model)(?: language)?(?: model| assistant)?(?:,| and\\b| developed\\b)[^.]{0,100}\\b(?:can ?not|can't|unable|not able|do not|don't|won't)",
  ),
  english(`^(?:${LEAD}[^.!?]{0,20} )?i (?:do not|don't) have (?:access|the ability) to\\b`),
  english(
    `^(?:${LEAD}[^.!?]{0,20} )?i (?:(?:do not|don't) (?:see|have)|(?:can ?not|can't) (?:see|find)) (?:any|the|an) [^.]{0,20}\\b${WORK_ON}\\b[^.]{0,30}(?:[.!]|\\byour?\\b|\\bprovided\\b)`,
  ),
  english(
    `^(?:please|could you|can you) (?:please )?(?:provide|share|paste|send|upload)\\b.{0,40}\\b${WORK_ON}\\b.{0,60}\\b(?:i|me|you'd|you would|you want)\\b`,
  ),
  english(
    `^(?:there is |there's )?no (?:\\w+ )?${WORK_ON} (?:was |is |were |has been )?(?:provided|given|available|included|supplied|attached)\\b`,
  ),
  english(
    `^(?:${LEAD}[^.!?]{0,20} )?i(?:'m| am|'ll| will| would)? ?(?:must|need to|have to|going to have to|going to|have to)? ?(?:respectfully |politely )?(?:decline|refuse|pass on)(?: to ${DO}\\b| (?:this|that|your|the request)\\b|[:.,;])`,
  ),
  english(`^i(?:'d| would) (?:rather|prefer) not (?:to )?${DO}\\b|^i prefer not to ${DO}\\b`),
  english(`^(?:${LEAD}[^.!?]{0,60} )?i(?:'m| am) not comfortable (?:with )?\\w+ing\\b`),
  english(
    `^(?:${LEAD}\\W{1,5}(?:but )?)?(?:that|this|it)(?:'s| is) (?:not something|beyond|outside(?: of)?) (?:what )?(?:i can|i'm able|i am able|my (?:capabilit|scope|abilit))`,
  ),
  english(
    '^(?:this|that|the|your) (?:request|content|text|question|topic|material|article|prompt)[^.]{0,60}\\b(?:goes against|violates?|conflicts with|is against|breaches|falls outside) (?:my|our|the usage|the content|the safety)\\b',
  ),
  english(
    "^my (?:guidelines|polic(?:y|ies)|programming|safety \\w+|training|instructions|principles)[^.]{0,30}\\b(?:prevents?|prohibits?|forbids?|(?:do|does)(?:n't| not) (?:allow|permit|let)) me\\b",
  ),
  english(
    "^it (?:would be|is|would not be|wouldn't be) (?:(?:not )?(?:inappropriate|appropriate|unethical|irresponsible|possible) for me to|against my \\w+)\\b",
  ),
  /^request (?:refused|denied|declined|rejected):/i,
]

const OTHER_LANGUAGES = [
  /^(?:(?:es )?tut mir (?:sehr )?leid|entschuldigung|leider|ich|dabei|das)\b[^.!?]{0,80}\bnicht (?:weiter)?(?:helfen|behilflich|beantworten|zusammenfassen|bewerten|unterstützen|erstellen|bearbeiten|verarbeiten|erfüllen|ausführen)/i,
  /^(?:(?:je suis )?désolée?|malheureusement)[^.!?]{0,40}\bne (?:peux|pourrai|suis) pas (?:en mesure de |capable de |vous )?(?:aider|assister|répondre|résumer|fournir|traiter|évaluer|générer|créer|accéder|satisfaire)/i,
  /^je ne (?:peux|pourrai|suis) pas (?:en mesure de |capable de |vous )?(?:aider|assister|répondre|résumer|fournir|traiter|évaluer|générer|créer|accéder|satisfaire)/i,
  /^(?:lo siento|disculpa|perdón|lamentablemente|no)\b[^.!?]{0,40}?(?:no )?(?:puedo|podré|soy capaz de) (?:ayudar|asistir|responder|resumir|proporcionar|cumplir|generar|procesar|evaluar)/i,
  /^(?:mi dispiace|purtroppo|non)\b[^.!?]{0,40}?(?:non )?(?:posso|sono in grado di) (?:aiutar|assister|risponder|riassumer|fornir|soddisfar|generar|elaborar)/i,
  /^(?:desculpe|lamento|infelizmente|não)[^.!?]{0,40}?(?:não )?(?:posso|consigo) (?:ajudar|responder|resumir|fornecer|atender|gerar|processar)/i,
  /^(?:het spijt me|sorry|helaas|ik)\b[^.!?]{0,40}\bkan (?:ik )?[^.!?]{0,40}\bniet [^.!?]{0,20}(?:helpen|beantwoorden|samenvatten|voldoen)/i,
  /^[^。！？]{0,40}(?:お応え|お答え|お手伝い|対応|回答|要約|提供|支援|協力)(?:する)?(?:こと)?(?:は|が)?(?:でき|出来|いたしかね)/,
  /^[^。！？]{0,12}我?(?:无法|不能|没办法|無法)(?:为您|帮您?|協助|协助|提供|回答|处理|完成|满足|总结|生成|支持)/,
]

const START_CHARS = 400

/** Whether a model's text is a refusal rather than an answer. */
export const isRefusal = (text: string): boolean => {
  const start = unquoted(text.trim())
    .slice(0, START_CHARS)
    .replaceAll('’', "'")
    .replace(/^[\s*_>#]+/, '')
    .replace(/\s+/g, ' ')
  return [...ENGLISH, ...OTHER_LANGUAGES].some((pattern) => pattern.test(start))
}

/** Only quotes around the whole answer: quotes at its start are somebody's speech. */
const unquoted = (text: string): string =>
  /^["“«][^"“”«»]*["”»]$/.test(text) ? text.slice(1, -1) : text
