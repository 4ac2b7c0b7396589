/** What ends a test run early or changes what its assertions find, in one language. */
export interface Language {
  files: RegExp;
  /** Statements that end the process, or are called when it ends. */
  exits: RegExp;
  /** Statements that replace assertions, test functions or the loading of modules. */
  patches: RegExp;
  /** Code that a test run does not execute: the start of a block that runs only as the main program. */
  main?: RegExp;
  /** Statements that matter only outside of functions, where loading the file runs them; without a test runner they matter everywhere. */
  onLoad?: RegExp;
  /** Code that finds out whether a test runs, or what a test expects: what the tests show is then not what others get. */
  detects?: RegExp;
}

/** The languages in which source is judged. */
export const LANGUAGES: readonly Language[] = [
  {
    files: /\.([cm]?[jt]sx?|vue|svelte)$/i,
    exits:
      /\bprocess\s*\??\.?\s*(?:\.|\[\s*['"`])\s*(?:reallyExit|execve|abort|exit(?!Code)(?!['"`\]\s]*\(\s*[1-9]))\b|\bprocess\s*\.\s*exitCode\s*=(?!=|\s*[1-9])|\bprocess\s*\.\s*(?:setUncaughtExceptionCaptureCallback|(?:on|once|addListener|prependListener)\s*\(\s*['"`](?:exit|beforeExit|uncaughtException\w*|unhandledRejection))|\bprocess\s*\.\s*(?:removeAllListeners|kill\s*\(\s*process\s*\.\s*pid)|\{[^}\n]*\bexit\b[^}\n]*\}\s*=\s*(?:globalThis\.)?process\b|\bimport\b[^;\n]*\bexit\b[^;\n]*from\s*['"](?:node:)?process['"]|\b(?:Deno|Bun)\s*\.\s*exit\s*\((?!\s*[1-9])|(?:\.\s*|\[\s*['"`])exit(?:['"`]\s*\])?\s*\(\s*0?\s*\)/g,
    patches:
      /\bassert(?:\.strict)?\.\w+\s*=(?![=>])|\b(?:Object\.(?:assign|definePropert(?:y|ies))|Reflect\.(?:set|defineProperty))\s*\(\s*(?:assert|expect|globalThis|global|process|console|(?:Object|Reflect|JSON|Promise|Error)(?:\.prototype)?\s*,)|\b(?:globalThis|global|window)\s*(?:\.|\[\s*['"])(?:expect|assert|it|test|describe|process|console|Error|Object|JSON|Promise)\b['"\]]*\s*=(?![=>])|\brequire\.cache\b|\bModule\s*\.\s*(?:_load|_resolveFilename|_extensions|prototype)|\bregisterHooks\s*\(|(?<![.\w$])eval\s*\)?\s*\(|\bnew\s+Function\s*\(|\b(?:globalThis|global)\s*\[(?!\s*['"`][\w$]+['"`]\s*\])[^\]\n]+\]\s*=(?![=>])|\bprocess\s*\.\s*(?:(?:stdout|stderr)\s*\.\s*write|exit|emit)\s*=(?![=>])|\bconsole\s*\.\s*(?:log|error|assert)\s*=(?![=>])|(?<![\w.$])(?:Object|Reflect|Number|JSON|Promise|Symbol|Function|Error)(?:\s*\.\s*prototype)?\s*(?:\.\s*(?!stackTraceLimit\b|prototype\b)\w+|\[[^\]\n]+\])\s*=(?![=>])/g,
    detects:
      /\b(?:VITEST(?:_\w+)?|JEST_WORKER_ID|NODE_TEST_CONTEXT|MOCHA_\w+|npm_lifecycle_\w+)\b|\benv\s*(?:\?\.|\.|\[\s*['"`])\s*CI\b|\{[^}\n]*\bCI\b[^}\n]*\}\s*=\s*(?:globalThis\.)?(?:process\.)?env\b|\bprocess\s*\.\s*(?:execArgv\b|argv\b(?!\s*\[\s*[2-9])[^\n]*['"`/](?:[\w.*-]*[./-])?(?:tests?|specs?|vitest|jest|mocha)\b)|\bnew\s+Error\s*\([^)\n]*\)\s*\)?\s*\??\.\s*stack\b|\bprepareStackTrace\b|\btypeof\s+(?:globalThis\s*\.\s*)?(?:jest|vi|mocha|describe|it|expect|beforeEach|afterEach)\b|\barguments\s*\.\s*callee\b|\b(?:exists|access|stat|lstat|readdir|opendir)(?:Sync)?\s*\([^\n]*['"`/](?:tests?|specs?|__tests__)['"`/]|\.\s*stack\b[^\n]{0,80}['"`/.](?:tests?|specs?)\b|\b(?:require\s*\.\s*main|module\s*\.\s*parent)\b[^\n]*\b(?:tests?|specs?)\b|\btests?\b[^\n]{0,40}\brequire\s*\.\s*main\b|\/proc\/self\/(?:comm|cmdline|environ)\b/g,
    main: /(?:require\.main\s*={2,3}\s*module|import\.meta\.(?:main|url|filename)\b[^\n]*|process\.argv\s*\[\s*1\s*\][^\n]*)\)?[^\n{]*\{/g,
  },
  {
    files: /\.pyi?$/i,
    exits:
      /(?<!\w)_exit\s*\(|\bos\s*\.\s*(?:abort|exec[lv]\w*)\s*\(|\bCDLL\s*\(\s*None\s*\)|\bctypes\s*\.\s*pythonapi\b|\bos\s*\.\s*kill\s*\(\s*os\s*\.\s*getpid|\bfrom\s+(?:os|posix)\s+import\b[^\n]*\b(?:_exit|abort|exec[lv]\w*)\b|\bos\s*\.\s*killpg\s*\(|\batexit\s*\.\s*register|@atexit\b|\bsys\s*\.\s*(?:excepthook|exitfunc)\s*=|\bsignal\s*\.\s*(?:alarm|raise_signal|setitimer)/g,
    patches:
      /\bsys\s*\.\s*modules\s*\[|\bsys\s*\.\s*(?:settrace|setprofile|meta_path|path_hooks)\b|\b(?:unittest|pytest|_pytest|builtins|TestCase)(?:\.\w+)*\.\w+\s*=(?!=)|\bsetattr\s*\(\s*(?:unittest|pytest|builtins|sys|os|TestCase)\b|\b__builtins__\b|\bbuiltins\s*\.\s*__dict__|\bdef\s+__eq__\s*\([^)]*\)[^:\n]*:\s*(?:"""[^"]*"""\s*)?return\s+True\b|\b__eq__\s*=\s*lambda\b[^:\n]*:\s*(?:True|1)\b|['"]__(?:eq|ne)__['"]\s*[:,]/g,
    onLoad:
      /\b(?:sys\s*\.\s*exit\s*\((?!\s*[1-9])|raise\s+SystemExit\b(?!\s*\(\s*[1-9])|(?<![.\w])(?:exit|quit)\s*\((?!\s*[1-9]))/g,
    detects:
      /['"]_?(?:pytest|unittest|nose2?)['"]\s*(?:not\s+)?in\s+sys\s*\.\s*modules|\bfrom\s+sys\s+import\b[^\n]*\b(?:modules|_getframe|settrace|setprofile|meta_path|path_hooks)\b|\bfor\s+\w+\s+in\s+(?:list\s*\(\s*)?sys\s*\.\s*modules\b(?!\s*\[)|\bsys\s*\.\s*(?:argv|orig_argv)\s*\[\s*0\s*\][^\n]*(?:test|nose)|(?:test|nose)\w*['"]\s*(?:not\s+)?in\s+sys\s*\.\s*(?:argv|orig_argv)\b|\btraceback\s*\.\s*(?:extract|format|walk|print)_stack\b|\b(?:getenv|environ(?:\s*\.\s*get)?)\s*[([]\s*['"]CI['"]|['"]CI['"]\s*(?:not\s+)?in\s+(?:os\s*\.\s*)?environ\b|\bPYTEST_\w+|\bsys\s*\.\s*_getframe\b|\binspect\s*\.\s*(?:stack|currentframe|getouterframes)\b|\bf_(?:back|locals)\b|\bco_consts\b|\bgc\s*\.\s*get_(?:objects|referrers)\b|\bmock\s*\.\s*ANY\b|\bfrom\s+(?:unittest\s*\.\s*)?mock\s+import\b[^\n]*\bANY\b|\b(?:exists|isdir|isfile|listdir|scandir|stat)\s*\([^\n]*['"/](?:tests?|specs?)['"/]|\bPath\s*\([^\n]*['"/](?:tests?|specs?)['"/][^\n]*\)\s*\.\s*(?:exists|is_dir|iterdir|stat)\b|(?:pytest|unittest|nose)\w*['"][^\n]*\bsys\s*\.\s*(?:orig_)?argv\b|\bimport\s+__main__\b|\/proc\/self\/(?:comm|cmdline|environ)\b/g,
    main: /^if\s+__name__\s*==\s*['"]__main__['"]\s*:/gm,
  },
  {
    files: /\.go$/,
    exits:
      /\bos\s*\.\s*Exit\s*\((?!\s*[1-9])|\bsyscall\s*\.\s*(?:Exit|Kill|Exec|RawSyscall\w*|Syscall\w*)\s*\(|\bruntime\s*\.\s*Goexit\s*\(/g,
    patches: /\bflag\s*\.\s*Set\s*\(\s*"test\.|\bos\s*\.\s*Args\s*=(?!=)|\bos\s*\.\s*Std(?:out|err)\s*=(?!=)/g,
    detects:
      /\btesting\s*\.\s*Testing\s*\(|\bflag\s*\.\s*Lookup\s*\(\s*"test\.|\bos\s*\.\s*(?:Getenv|LookupEnv)\s*\(\s*"CI"\s*\)|\bos\s*\.\s*Executable\s*\(\s*\)[\s\S]{0,200}?"[^"\n]*test\b|\.test"\s*\)|\bos\s*\.\s*Args\s*\[\s*0\s*\][^\n]*"[^"\n]*test|"_test\.go"|\/proc\/self\/(?:comm|cmdline)\b/g,
    main: /\bfunc\s+main\s*\(\s*\)\s*\{/g,
  },
  {
    files: /\.rs$/,
    exits:
      /\bprocess\s*::\s*(?:exit\s*\((?!\s*[1-9])|abort\s*\()|\blibc\s*::\s*_?exit\b|\buse\s+std\s*::\s*process\s*::\s*(?:exit|\{[^}]*\bexit\b)|\bCommandExt\b[\s\S]*\.\s*exec\s*\(/g,
    patches:
      /\bmacro_rules!\s*(?:assert\w*|panic|debug_assert\w*|unreachable)\b|\bpanic\s*::\s*set_hook\b|\bfn\s+(?:eq|ne)\s*\([^)]*\)\s*->\s*bool\s*\{\s*(?:true|false)\s*\}/g,
    detects:
      /\bcfg!\s*\(\s*(?:not\s*\(\s*)?test\b|#\[\s*cfg\s*\(\s*not\s*\(\s*test\s*\)|\bthread\s*::\s*current\s*\(\s*\)\s*\.\s*name\b|\bcurrent_exe\s*\(\s*\)[\s\S]{0,200}?"(?:deps|target|debug|test\w*)\b|\benv\s*::\s*(?:args|args_os)\s*\(\s*\)[^;]{0,200}?"[^"\n]*\b(?:deps|tests?)\b|\benv\s*::\s*var(?:_os)?\s*\(\s*"(?:CI|CARGO(?:_\w+)?|RUST_TEST\w*|NEXTEST\w*)"/g,
    main: /\bfn\s+main\s*\(\s*\)[^{;]*\{/g,
  },
  {
    files: /\.(java|kts?|scala|groovy)$/i,
    exits:
      /\bSystem\s*\.\s*exit\s*\((?!\s*[1-9])|\bRuntime\s*\.\s*getRuntime\s*\(\s*\)\s*\.\s*(?:halt|exit|addShutdownHook)|\bexitProcess\s*\((?!\s*[1-9])/g,
    patches:
      /\bSystem\s*\.\s*set(?:Out|Err|SecurityManager)\s*\(|\bequals\s*\([^)]*\)[^{=;]*(?:\{\s*return\s+true\b|=\s*true\b)/g,
    main: /\b(?:static\s+void|fun|def)\s+main\s*\([^)]*\)[^{;]*\{/g,
  },
  {
    files: /\.(cs|fs|vb)$/i,
    exits: /\bEnvironment\s*\.\s*(?:Exit\s*\((?!\s*[1-9])|FailFast|ExitCode\s*=(?!=|\s*[1-9]))|\bProcessExit\s*\+=/g,
    patches:
      /\bDebug\s*\.\s*Listeners\b|\b(?:Equals|operator\s*==)\s*\([^)]*\)\s*(?:\{\s*return\s+true\b|=>\s*true\b)/g,
    main: /\bstatic\s+(?:async\s+)?(?:void|int|Task(?:<int>)?)\s+Main\s*\([^)]*\)[^{;]*\{/g,
  },
  {
    files: /\.(rb|rake)$/i,
    exits:
      /^\s*(?:Kernel\.|Process\.)?exit!?\s*(?:\(?\s*(?:0|true)?\s*\)?)\s*(?:$|if\b|unless\b)|\bat_exit\b|\bProcess\s*\.\s*(?:exit!?|kill|exec)\b|\bexit!|\bKernel\s*(?:\.|::)\s*(?:exit|exec)\b|^\s*exec\b(?!\s*=)|\braise\s+SystemExit\b|\btrap\s*\(?\s*['":]EXIT\b/gm,
    patches:
      /\b(?:module|class)\s+(?:Minitest|RSpec|Test::Unit)\b|\b(?:Minitest|RSpec|Test::Unit)(?:::\w+)*\s*\.\s*(?:prepend|include|(?:class|module|instance)_(?:eval|exec)|define_method|remove_method|send|autorun|configure)\b|\bKernel\s*\.\s*(?:module_eval|class_eval)|\bdef\s+(?:==|eql\?|===|equal\?)\s*\(?\s*\w+\s*\)?\s*(?:;|\n|=)\s*true\b/g,
    detects:
      /\bdefined\?\s*\(?\s*(?:RSpec|Minitest|Test::Unit)\b|\bENV\s*(?:\.\s*(?:fetch|key\?)\s*\(?\s*|\[\s*)['"]CI['"]|(?:\$0|\$PROGRAM_NAME)[^\n]*(?:test|spec)|\bcaller(?:_locations)?\b[^\n]*(?:test|spec)|\b(?:File|Dir)\s*\.\s*(?:exist\?|directory\?|children|glob)\s*\(?[^\n]*['"/](?:test|spec)['"/]/g,
    main: /^if\s+(?:__FILE__\s*==\s*\$0|\$0\s*==\s*__FILE__|\$PROGRAM_NAME)[^\n]*/gm,
  },
  {
    files: /\.php$/i,
    exits:
      /(?<![\w$>:'"])(?:exit|die)\s*(?:;|\((?!\s*[1-9]))|\bregister_shutdown_function\b|\bset_(?:exception|error)_handler\b|\bpcntl_exec\s*\(|\bposix_kill\s*\(/gi,
    patches:
      /\buopz_\w+|\brunkit\w*|\bassert_options\s*\(|\bini_set\s*\(\s*['"](?:assert\.|zend\.assertions|auto_(?:pre|ap)pend)|\bnamespace\s+(?:PHPUnit|Pest)\b/gi,
    detects:
      /\bgetenv\s*\(\s*['"]CI['"]|\bPHPUNIT_\w+|\bclass_exists\s*\(\s*['"]\\?\\?PHPUnit|\bdebug_backtrace\s*\([\s\S]{0,200}?['"][^'"\n]*(?:[Tt]est|phpunit)|\$(?:_SERVER\s*\[\s*['"]argv['"]\s*\]|argv)[^\n]*phpunit|\b(?:is_dir|file_exists)\s*\([^\n]*['"/]tests?['"/]/g,
  },
  {
    files: /\.(c|cc|cpp|cxx|h|hh|hpp|m|mm|swift|zig|dart|d)$/i,
    exits: /\b(?:std::)?(?:_?exit|_Exit|quick_exit)\s*\(\s*(?:0|EXIT_SUCCESS|\))|\batexit\s*\(|\bposix\.exit\s*\(\s*0/g,
    detects:
      /\bprogram_invocation_(?:short_)?name\b|\b__progname\b|\bgetprogname\s*\(|\/proc\/self\/(?:comm|cmdline)\b|\bgetenv\s*\(\s*"CI"\s*\)/g,
    patches:
      /\b__assert\w*\s*\([^;{]*\)[^;{]*\{|\b(?:abort|_?exit)\s*\(\s*(?:void|int(?:\s+\w+)?)\s*\)\s*\{|#\s*define\s+(?:assert|ASSERT\w*|EXPECT\w*|REQUIRE|CHECK|NDEBUG)\b|\boperator\s*==\s*\([^)]*\)[^{;]*\{\s*return\s+true\b|\bfunc\s+==\s*\([^)]*\)[^{]*\{\s*(?:return\s+)?true\b/gm,
    main: /\bmain\s*\([^)]*\)[^{;]*\{/g,
  },
  {
    files: /\.(exs?|pl|pm|lua|jl|r)$/i,
    exits:
      /\bSystem\s*\.\s*(?:halt|stop)\s*\(\s*(?:0|:normal|\))|\bSystem\s*\.\s*at_exit\b|:(?:init|erlang)\s*\.\s*(?:stop|halt)\b|\bos\s*\[\s*['"]exit['"]\s*\]|\bPOSIX::_exit\b|^\s*END\s*\{|\bos\s*\.\s*exit\s*\(\s*(?:0|true|\))|^\s*exit\s*\(?\s*0?\s*\)?\s*;?\s*$|\bquit\s*\(\s*status\s*=\s*0/gm,
    patches:
      /\bCode\s*\.\s*compiler_options\b|\bExUnit\s*\.\s*(?:configure|start|after_suite)\b|\bdefmodule\s+ExUnit\b|^\s*(?:_G\s*\.\s*)?(?:assert|error|pcall|xpcall|require|print)\s*=(?!=)|^\s*function\s+(?:_G\s*\.\s*)?(?:assert|error|pcall|xpcall|require)\s*\(|\b_G\s*\[|\b(\w+)\s*=\s*_(?:G|ENV)\b[\s\S]*?\b\1\s*(?:\.\s*(?:assert|error|pcall|xpcall|require|print|os)\b|\[[^\]\n]*\])[\w.\s]*=(?!=)|\b(?:rawset|setmetatable)\s*\(\s*(?:_G|_ENV)\b|\bpackage\s*\.\s*(?:loaded|preload|searchers|loaders)\b|\bdebug\s*\.\s*(?:sethook|setmetatable|setupvalue)\b|\b__eq\s*=\s*function\s*\([^)]*\)\s*return\s+true\b|\bos\s*\.\s*exit\s*=(?!=)|\*\s*\{?\s*["']?(?:main|Test)(?:::|2)[\w:]*["']?\s*\}?\s*=(?![=~])|\bTest::(?:More|Builder)\b[^;\n]*->\s*(?:can_|reset|no_ending|is_passing)/gm,
    detects: /\bHARNESS_\w+|\$INC\s*\{\s*['"]?Test\//g,
  },
  {
    files: /\.(sh|bash|zsh|ksh|bats)$/i,
    exits: /(?<![\w-])(?:exit|exec|kill|trap)(?![\w-])(?!\s+[1-9]\d*\s*(?:$|[;})&|]))/gm,
    patches: /^\s*(?:function\s+)?(?:assert|expect|fail|test|check|\[)\w*\s*\(\)|(?<![\w-])(?:alias|enable)\s/gm,
  },
];
