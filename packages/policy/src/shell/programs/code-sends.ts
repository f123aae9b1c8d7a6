/** Calls that talk to another machine, in the languages of one-liners. */
const SENDS =
  /\b((import|require)\(\s*\\?["'](https?|http2|net|tls|dgram|ws)\b|requests\.\w+|urlopen|urllib|httpx|aiohttp|pycurl|http\.client|ftplib|smtplib|telnetlib|paramiko|fetch\s*\(|https?\.(request|get|post)|node:(https?|http2|net|tls|dgram)|axios|got\.?\w*\s*\(|undici|XMLHttpRequest|WebSocket|sendBeacon|net\.(connect|createConnection|Socket)|dgram|dns\.(lookup|resolve\w*)|Net::(HTTP|FTP|SMTP)|URI\.open|open-uri|Faraday|HTTParty|RestClient|TCPSocket|UDPSocket|IO::Socket|LWP::|HTTP::Tiny|Mojo::UserAgent|WWW::|curl_(init|exec)|fsockopen|stream_socket_client|httr2?::|RCurl|curl::|download\.file|HTTP\.(post|get|put|request)|Downloads\.|socket\.|socket\b|Req\.|HTTPoison|httpc|hackney|Invoke-(WebRequest|RestMethod)|iwr|irm|UploadString|open_tcp|mechanize|slurp|TcpClient|mail\s*\()|require\(\s*\\?["'](https?|http2|net|tls|dgram|ws)\\?["']|\/inet6?\/(tcp|udp)\/|(file_get_contents|fopen|copy|spit|url|readLines)\s*\(\s*\\?["']https?:/i
const LOCAL = /\b(localhost|127\.0\.0\.1|0\.0\.0\.0)\b|\[::1\]/

/** The environment as a whole: one variable of it is everyday work. */
const WHOLE =
  /\bprocess\.env\b(?!\s*(\?\.|\.|\[))|\{\s*\.\.\.process\.env|\bBun\.env\b(?!\s*[.[])|Deno\.env\.toObject|\benvironb?\b(?!\s*\[|\.(get|pop|setdefault)\b)|\bENV\b(?=\s*(\.(to_|inspect|each|map|sort|select|keys|values|sum|reject|filter|collect|entries|any|find|dup|clone|pretty)|[),;}\]]|$))|[%\\]ENV\b|\bgetenv\(\s*\)|\$_(ENV|SERVER)\b(?!\s*\[)|Sys\.getenv\(\s*\)|\bin\s+ENVIRON\b|System\.(get_env|getenv)\(\s*\)|\bgetEnvironment\b|os:getenv\(\s*\)|env::vars|ENVIRON\.Keys|\bget-childitem\s+env:|\/proc\/self\/environ|\benv\.toObject|posix-environ|dict::env|\benvironment\(\s*\)/i
const NAMED_SECRET =
  /(environ|process\.env|ENV|getenv|get_env|Sys\.getenv|Deno\.env\.get|Bun\.env)\W{1,4}\w*(TOKEN|SECRET|PASSW|API_?KEY|PRIVATE_?KEY|CREDENTIAL|_KEY)\w*/i

export const sendsAway = (code: string): boolean => SENDS.test(code)

/** Whether code sends the environment away: all of it, or a variable that holds a secret. */
export const findSentEnvironment = (code: string): 'whole' | 'secret' | undefined => {
  if (
    !SENDS.test(code) ||
    (LOCAL.test(code) && !/https?:\/\/(?!localhost|127\.|0\.0|\[::1)/.test(code))
  )
    return undefined
  if (WHOLE.test(code)) return 'whole'
  return NAMED_SECRET.test(code) ? 'secret' : undefined
}
